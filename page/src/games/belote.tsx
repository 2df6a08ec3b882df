import { useKeys } from '../lib/hooks';
import { t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Card, cardName, Suit } from '../pieces/cards';
import { nameOf, Plate, seatOf, turnText } from './seat';
import { index, pid, type BoardProps, type Game, type GameEvent, type Pid, type Sentence, type State, type Table } from './types';

export const SUITS: Record<string, string> = { ColourClubs: 'c', ColourDiamonds: 'd', ColourHearts: 'h', ColourSpades: 's' };
const next = (who: Pid): Pid => pid((index(who) + 1) % 4);
// The next card leads. After a trick the table is empty, and so is the trick that the server tells.
const leads = ({ trick }: State): boolean => !trick || trick.cards.length % 4 === 0;
export const mode = (m: string): string => t(`belote.mode.${m}`);

function play(s: State, e: GameEvent): State {
  const trick = s.trick && s.trick.cards.length < 4 ? s.trick : { number: (s.trick?.number ?? 0) + 1, leader: e.player, cards: [] };
  return { ...s, phase: 'play', trick: { ...trick, cards: [...trick.cards, e.data.card] }, current_player_id: trick.cards.length === 3 ? undefined : next(e.player!),
    hand: s.hand?.filter((c: string) => e.player !== s.your_player_id || c !== e.data.card), played: [...(s.played ?? []), e.data.card] };
}

function apply(s: State, e: GameEvent): State {
  const d = e.data;
  switch (e.type) {
    case 'deal_started': return { ...s, phase: 'cut', dealer: d.dealer, deal_number: d.deal_number, bids: [], current_bid: null, contract: null, trick: null, last_trick: null, played: [], points: [0, 0], tricks_won: [0, 0], current_player_id: pid((index(d.dealer) + 3) % 4), hand: undefined };
    case 'cut': return { ...s, phase: 'bid', current_player_id: next(s.dealer) };
    case 'bid': return { ...s, phase: 'bid', bids: [...s.bids, { seat: e.player, type: d.type, mode: d.mode }], current_bid: d.type === 'announce' ? { seat: e.player, mode: d.mode } : s.current_bid, current_player_id: next(e.player!) };
    case 'negotiation_completed': return { ...s, phase: 'play', contract: d, current_player_id: next(s.dealer) };
    case 'card_played': return play(s, e);
    case 'trick_completed': {
      const team = index(d.winner) % 2, points = [...s.points], won = [...s.tricks_won];
      points[team] += d.points;
      won[team]++;
      return { ...s, points, tricks_won: won, last_trick: { ...s.trick, winner: d.winner, points: d.points }, trick: { ...s.trick, winner: d.winner }, current_player_id: won[0] + won[1] === 8 ? undefined : d.winner };
    }
    case 'deal_ended': return { ...s, match_points: d.match_points, last_deal: { ...s.contract, points: d.points, card_points: s.points }, trick: null, current_player_id: undefined };
    case 'match_ended': return { ...s, phase: 'done', match_points: d.match_points, champion: d.team, current_player_id: undefined };
    default: return s;
  }
}

function words(e: GameEvent, s: State): Sentence | null {
  const d = e.data;
  switch (e.type) {
    case 'cut': return { key: 'belote.cut', who: e.player };
    case 'bid': return { key: `belote.says.${d.type}`, who: e.player, args: { mode: d.mode ? mode(d.mode) : '' } };
    case 'negotiation_completed': return d.mode ? { key: 'belote.contract', args: { mode: mode(d.mode), team: team(d.team - 1, s), x: d.multiplier } } : null;
    case 'card_played': return { key: leads(s) ? 'belote.leads' : 'belote.plays', who: e.player, cards: [d.card] };
    case 'trick_completed': return { key: 'belote.takes', who: d.winner, args: { n: d.points } };
    case 'deal_ended': return { key: 'belote.deal_ends', args: { a: d.points[0], b: d.points[1] } };
    case 'match_ended': return d.team ? { key: 'belote.match_ends', args: { team: team(d.team - 1, s) } } : { key: 'match.draw' };
    case 'player_disconnected': return { key: 'match.left', who: e.player };
    default: return null;
  }
}
// Team 0 is seats 1 and 3. To a player they are "us" and "them".
function team(i: number, s: State): string {
  const own = s.your_team ? s.your_team - 1 : -1;
  return own < 0 ? t(i ? 'belote.team.1' : 'belote.team.0') : t(own === i ? 'belote.us' : 'belote.them');
}

function Contract({ s }: { s: State }) {
  const m = s.contract?.mode ?? s.current_bid?.mode;
  if (!m) return null;
  const x = s.contract?.multiplier ?? 1, side = s.contract ? s.contract.team - 1 : index(s.current_bid.seat) % 2;
  return <div class="contract">{SUITS[m] ? <Suit s={SUITS[m]} label={mode(m)} /> : <span class="bs">{m === 'AllTrumps' ? 'A' : 'N'}</span>}<span><b>{mode(m)}</b><small>{team(side, s)}{s.contract ? ` · ×${x}` : ` · ${t('belote.bidding')}`}</small></span></div>;
}

function Score({ s }: { s: State }) {
  const own = s.your_team ? s.your_team - 1 : 0, target = s.target || 150;
  return <div class="bscore">{[own, 1 - own].map((i) => <div key={i} class={i === own ? 'us' : ''}><span>{team(i, s)}</span><b class="num">{s.match_points[i]}</b><i style={{ transform: `scaleX(${Math.min(1, s.match_points[i] / target)})` }} /></div>)}
    {s.phase === 'play' && <small class="num">{t('belote.cards', { a: s.points[own], b: s.points[1 - own] })}</small>}</div>;
}

// Why a card may not be played, in words.
const reason = (s: State): string => (s.phase !== 'play' ? t('belote.not_yet') : s.current_player_id !== s.your_player_id ? t('belote.wait') : s.trick?.cards.length ? t('belote.led', { suit: t(`suit.${s.trick.cards[0][1]}`) }) : t('belote.wait'));

function Hand({ table, request, send }: BoardProps) {
  const { state: s } = table, hand: string[] = s.hand ?? [];
  const legal = new Set((request?.legal ?? []).filter((a) => a.type === 'play_card').map((a) => a.data.card as string));
  const open = hand.filter((c) => legal.has(c));
  useKeys((e) => {
    const card = send && open[Number(e.key) - 1];
    if (!card) return false;
    send({ type: 'play_card', data: { card } });
    return true;
  });
  return <div class={`hand n${hand.length}`} role="group" aria-label={t('belote.hand')}>{hand.map((c) => {
    const ok = legal.has(c);
    return <button type="button" key={c} class={ok ? 'ok' : open.length ? 'no' : 'idle'} aria-disabled={!ok} aria-label={ok ? cardName(c) : `${cardName(c)}, ${reason(s)}`} onClick={() => { if (ok) send?.({ type: 'play_card', data: { card: c } }); }}><Card c={c} />{ok && <kbd aria-hidden="true">{open.indexOf(c) + 1}</kbd>}</button>;
  })}</div>;
}

function Board({ table, mini, request, send }: BoardProps) {
  const { state: s } = table, me = table.me ? index(table.me) : 2; // a spectator sits in the south
  const at = (i: number) => ['s', 'w', 'n', 'e'][(i - me + 4) % 4];
  const trick = s.trick, cards: string[] = trick?.cards ?? [];
  const played = (i: number) => (trick ? cards[(i - index(trick.leader) + 4) % 4] : undefined);
  const bid = (who: Pid) => [...(s.bids ?? [])].reverse().find((b: any) => b.seat === who);
  const bubble = (who: Pid) => { const b = s.phase === 'bid' && bid(who); return b ? (b.mode ? t(`belote.say.${b.type}`, { mode: mode(b.mode) }) : t('belote.say.accept')) : ''; };
  return <div class={`stage belote g-belote ${mini ? 'mini mbel' : 'bleed'} ${table.me ? 'seated' : ''}`}>
    <Contract s={s} />
    {mini ? <div class="bscore num"><b>{s.match_points[0]}</b><span>·</span><b>{s.match_points[1]}</b></div> : <Score s={s} />}
    {[0, 1, 2, 3].map((i) => mini ? <div key={i} class={`bav ${at(i)}`}><Avatar id={seatOf(table, pid(i)).name} hue={i} /></div>
      : i === me && table.me ? null : <div key={i} class={`bseat ${at(i)}`}><Plate table={table} pid={pid(i)} line={team(i % 2, s)} dealer={s.dealer === pid(i)} />{bubble(pid(i)) && <div class="say">{bubble(pid(i))}</div>}
        {s.opened?.[pid(i)] && <div class="peek">{s.opened[pid(i)].map((c: string) => <Card key={c} c={c} />)}</div>}</div>)}
    <div class={`trick ${trick?.winner ? `to-${at(index(trick.winner))}` : ''}`}>{[0, 1, 2, 3].map((i) => { const c = played(i); return <div key={i} class={`t${at(i)} ${c && trick.winner === pid(i) ? 'win' : ''}`}>{c ? <Card key={c} c={c} cls="dealt" /> : table.turn === table.me && table.me === pid(i) && s.phase === 'play' && !mini ? <span class="slot2">{t('belote.your_card')}</span> : null}</div>; })}</div>
    {!mini && s.last_trick && s.phase === 'play' && <div class="last"><span class="xs">{t('belote.last', { name: nameOf(table, s.last_trick.winner) })}</span><div class="mc">{s.last_trick.cards.map((c: string) => <Card key={c} c={c} />)}</div></div>}
    {!mini && table.me && <Hand table={table} request={request} send={send} />}
  </div>;
}

function tell(table: Table): string {
  const { state: s } = table, m = s.contract?.mode ?? s.current_bid?.mode;
  const cards = s.trick?.cards.map((c: string, k: number) => `${nameOf(table, pid((index(s.trick.leader) + k) % 4))} ${cardName(c)}`) ?? [];
  return [m ? t('belote.tell.contract', { mode: mode(m), team: team(s.contract ? s.contract.team - 1 : index(s.current_bid.seat) % 2, s) }) : t('belote.tell.none'),
    s.trick ? t('belote.tell.trick', { n: s.trick.number, cards: cards.join(', ') }) : '', t('belote.tell.score', { a: s.match_points[0], b: s.match_points[1] }), table.turn ? turnText(table, table.turn) : ''].filter(Boolean).join('. ') + '.';
}

export const belote: Game = {
  name: 'belote',
  start: (_, config) => ({ phase: 'cut', dealer: 'p0', bids: [], current_bid: null, contract: null, trick: null, last_trick: null, played: [], points: [0, 0], tricks_won: [0, 0], match_points: [0, 0], target: config?.target ?? 150, deal_number: 1, players: [0, 1, 2, 3].map((i) => ({ id: pid(i) })) }),
  apply, words, tell,
  turn: (s) => s.current_player_id,
  heads: (e, s) => (e.type === 'deal_started' ? { key: 'belote.deal', args: { n: e.data.deal_number } } : e.type === 'card_played' && leads(s) ? { key: 'belote.trick', args: { n: s.tricks_won[0] + s.tricks_won[1] + 1 } } : null),
  where: (s) => t('belote.where', { n: s.deal_number, target: s.target }),
  facts: (table) => [[t('fact.to_act'), table.turn ? nameOf(table, table.turn) : '–'], [t('belote.contract_short'), table.state.contract ? mode(table.state.contract.mode) : '–'], [t('belote.tricks'), table.state.tricks_won.join(' · ')], [t('belote.points'), table.state.points.join(' · ')]],
  chart: { label: 'chart.points', values: (s) => { const [a, b] = s.match_points; return [a, b, a, b]; }, marks: (e) => e.type === 'deal_started' },
  pause: (e) => (e.type === 'trick_completed' ? 900 : e.type === 'deal_ended' ? 1200 : 0),
  Board,
};
