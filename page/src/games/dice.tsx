import { nf, t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Cup, Die } from '../pieces/dice';
import { nameOf, Plate, seatOf, turnText } from './seat';
import { after, index, pid, type BoardProps, type Game, type GameEvent, type Pid, type State, type Table } from './types';

const alive = (s: State) => (i: number): boolean => s.players[i].dice_count > 0 && s.players[i].status !== 'eliminated';
export const total = (s: State): number => s.players.reduce((n: number, p: any) => n + p.dice_count, 0);
export const faces = (n: number, face: number): string => t(`faces.${face}`, { n });

function apply(s: State, e: GameEvent): State {
  const d = e.data;
  if (e.type === 'bid') {
    const bid = { quantity: d.quantity, face: d.face, bidder: e.player };
    return { ...s, phase: 'bidding', reveal: undefined, current_bid: bid, round_bids: [...(s.round_bids ?? []), bid], current_turn: after(e.player!, s.players.length, alive(s)) };
  }
  if (e.type === 'challenge') return { ...s, reveal: d, current_turn: undefined };
  if (e.type === 'round_start') {
    const players = s.players.map((p: any) => ({ ...p, dice_count: d.dice_counts[p.id] ?? 0 }));
    const loser = s.reveal?.loser, out = { ...s, players, round: d.round, current_bid: undefined, round_bids: [], reveal: undefined, your_dice: undefined };
    out.total_dice = total(out);
    out.current_turn = loser ? (alive(out)(index(loser)) ? loser : after(loser, players.length, alive(out))) : undefined;
    return out;
  }
  if (e.type === 'player_eliminated') return { ...s, players: s.players.map((p: any) => (p.id === e.player ? { ...p, status: 'eliminated', dice_count: 0 } : p)) };
  if (e.type === 'game_over') return { ...s, phase: 'done', champion: d.winner, current_turn: undefined };
  return s;
}

function words(e: GameEvent) {
  const d = e.data;
  if (e.type === 'bid') return { key: 'dice.bid', who: e.player, args: { n: d.quantity, faces: faces(d.quantity, d.face) } };
  if (e.type === 'challenge') return { key: d.bid_met ? 'dice.lie_wrong' : 'dice.lie_right', who: d.challenger, args: { other: d.bidder, loser: d.loser, n: d.actual_count } };
  if (e.type === 'player_eliminated') return { key: 'match.out', who: e.player };
  if (e.type === 'player_disconnected') return { key: 'match.left', who: e.player };
  if (e.type === 'game_over') return { key: 'match.wins', who: d.winner };
  return null;
}

const Bid = ({ n, face, big }: { n: number; face: number; big?: boolean }) => <span class={`bid ${big ? 'big' : ''}`}><b class="num">{n}</b><i>×</i><Die n={face} /></span>;

// What a seat shows: its open dice after a challenge, else its cup.
function Open({ dice, face }: { dice: number[]; face: number }) {
  return <div class="opened">{dice.map((d, i) => <Die key={i} n={d} cls={d === face ? 'hit' : d === 1 ? 'wild' : 'off'} />)}</div>;
}

function Board({ table, mini }: BoardProps) {
  const { state: s } = table, n = s.players.length, first = table.me ? index(table.me) : -1;
  const others = Array.from({ length: first < 0 ? n : n - 1 }, (_, k) => pid(first < 0 ? k : (first + 1 + k) % n));
  const bids: any[] = s.round_bids ?? [], bid = s.current_bid, r = s.reveal;
  const lastBid = (who: Pid) => [...bids].reverse().find((b) => b.bidder === who);
  const line = (who: Pid) => {
    const b = lastBid(who);
    return s.players[index(who)].dice_count === 0 ? t('out') : b ? t('dice.bid_line', { n: b.quantity, faces: faces(b.quantity, b.face) }) : t('dice.no_bid');
  };
  const own: number[] = s.your_dice ?? [], counts = (d: number) => bid && (d === bid.face || d === 1);
  return <div class={`stage dice g-liars_dice ${mini ? 'mini mdice' : 'bleed'} ${others.length > 4 ? 'crowd' : ''}`}>
    <div class="opp">{others.map((who) => {
      const p = s.players[index(who)];
      return <div key={who} class={`dseat ${p.dice_count ? '' : 'out'}`}>
        {r?.all_dice?.[who] && !mini ? <Open dice={r.all_dice[who]} face={r.bid_face} /> : s.opened?.[who] && !mini ? <Open dice={s.opened[who]} face={bid?.face ?? 0} /> : <Cup n={p.dice_count} counted={!mini} />}
        {mini ? <div class="plate"><Avatar id={seatOf(table, who).name} hue={index(who) % 6} /></div> : <Plate table={table} pid={who} line={line(who)} />}
      </div>;
    })}</div>
    <div class="cur">
      {r ? <><span class="sm">{t('dice.doubts', { name: nameOf(table, r.challenger) })}</span><Bid n={r.actual_count} face={r.bid_face} big /><span class="sm">{t(`dice.end.${r.bid_met ? 'held' : 'fell'}${r.loser === table.me ? '.you' : ''}`, { n: r.bid_quantity, faces: faces(r.bid_quantity, r.bid_face), name: nameOf(table, r.loser) })}</span></>
        : bid ? <><span class="sm">{t(bid.bidder === table.me ? 'dice.bids.you' : 'dice.bids', { name: nameOf(table, bid.bidder) })}</span><Bid n={bid.quantity} face={bid.face} big />
          <span class="sm">{t('dice.means', { n: bid.quantity, faces: faces(bid.quantity, bid.face), total: s.total_dice ?? total(s) })}</span></>
          : <span class="sm opens">{s.current_turn ? t(s.current_turn === table.me ? 'dice.opens.you' : 'dice.opens', { name: nameOf(table, s.current_turn) }) : ''}</span>}
    </div>
    {!mini && bids.length > 0 && !r && <ol class="ladder" aria-hidden="true">{bids.slice(-6).map((b, i) => <li key={i}><span class={`dotc hue-${index(b.bidder) % 6}`} />{b.quantity} × <Die n={b.face} /></li>)}</ol>}
    {!mini && first >= 0 && <div class="mine">
      {r?.all_dice?.[table.me!] ? <Open dice={r.all_dice[table.me!]} face={r.bid_face} /> : <div class="dice-own" role="group" aria-label={t('dice.yours', { dice: own.map((d) => t(`die.${d}`)).join(', ') })}>{own.map((d, i) => <Die key={i} n={d} cls={bid ? (d === bid.face ? 'hit' : d === 1 ? 'wild' : '') : ''} />)}</div>}
      <p class="sm">{bid && own.length > 0 ? t('dice.hold', { n: own.filter(counts).length, faces: faces(2, bid.face) }) : ''}</p>
    </div>}
  </div>;
}

function tell(table: Table): string {
  const { state: s } = table, bid = s.current_bid;
  return [bid ? t('dice.tell.bid', { n: bid.quantity, faces: faces(bid.quantity, bid.face), name: nameOf(table, bid.bidder) }) : t('dice.no_bid'), t('dice.tell.total', { n: s.total_dice ?? total(s) }),
    ...s.players.map((p: any) => t('dice.tell.seat', { name: nameOf(table, p.id), n: p.dice_count })), s.your_dice?.length ? t('dice.yours', { dice: s.your_dice.map((d: number) => t(`die.${d}`)).join(', ') }) : '', table.turn ? turnText(table, table.turn) : ''].filter(Boolean).join('. ') + '.';
}

export const dice: Game = {
  name: 'liars_dice',
  start: (n) => ({ phase: 'bidding', round: 1, round_bids: [], current_turn: 'p0', total_dice: 5 * n, players: Array.from({ length: n }, (_, i) => ({ id: pid(i), status: 'alive', dice_count: 5 })) }),
  apply, words, tell,
  turn: (s) => s.current_turn,
  heads: (e, s) => (e.type === 'round_start' ? { key: 'dice.round', args: { n: e.data.round } } : e.seq === 0 || (e.type === 'bid' && s.round === 1 && !s.round_bids?.length) ? { key: 'dice.round', args: { n: s.round } } : null),
  where: (s) => t('dice.where', { n: s.round, total: nf(total(s)) }),
  facts: (table) => [[t('fact.to_act'), table.turn ? nameOf(table, table.turn) : '–'], [t('dice.round', { n: table.state.round }), t('dice.tell.total', { n: total(table.state) })]],
  chart: { label: 'chart.dice', values: (s) => s.players.map((p: any) => p.dice_count), marks: (e) => e.type === 'round_start' },
  pause: (e) => (e.type === 'challenge' ? 2600 : 0),
  Board,
};
