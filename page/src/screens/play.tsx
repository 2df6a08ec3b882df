import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { gameOf, SEATS, title, type Action, type Table } from '../games';
import { actOf, moveOf, question } from '../games/acts';
import { hasOdds } from '../games/known';
import { nameOf, turnText } from '../games/seat';
import { alertNow } from '../lib/announce';
import { newVersion } from '../lib/api';
import { useNow, useTitle } from '../lib/hooks';
import { Seated, type Entry, type Player } from '../lib/play';
import { go } from '../lib/router';
import { settings } from '../lib/settings';
import { useSignal } from '../lib/signal';
import { clock, nf, percent, t } from '../lib/text';
import { Icon } from '../pieces/icons';
import { Board } from '../ui/board';
import { Connection } from '../ui/connection';
import { Code, Head, IconButton, Notice, Panel } from '../ui/kit';
import { Side } from '../ui/side';
import { RulesButton } from './rules';

const entryOf = (game: string, session: string): Entry => (/^queue(-\d{1,2})?$/.test(session) ? { kind: 'queue', seats: Number(session.slice(6)) || SEATS[game]?.[0] || 2 } : session === 'invited' ? { kind: 'invited' } : session.startsWith('accept-') ? { kind: 'accept', token: session.slice(7) } : { kind: 'session', id: session });

function Countdown({ deadline }: { deadline: number }) {
  const now = useNow(1000), left = Math.ceil((deadline - now) / 1000);
  useEffect(() => { if (left === 30 || left === 10) alertNow(t('play.seconds', { n: left })); }, [left]);
  return <span class={`sm num count ${left <= 10 ? 'bad' : 'dim'}`}><Icon name="clock" /> {clock(deadline - now)}</span>;
}

// How often the own hand wins against random ones, by the referee's evaluation.
function Chance({ table }: { table: Table }) {
  const s = table.state, on = useSignal(settings).chances === 'on' && hasOdds(table.game) && s.your_hand?.length === 2, [found, set] = useState<{ key: string; share: number }>();
  const others = on ? s.players.filter((p: any) => p.id !== table.me && ['active', 'allIn'].includes(p.status)).length : 0, key = on ? JSON.stringify([s.your_hand, s.community_cards, others]) : '';
  useEffect(() => {
    let gone = false;
    if (others) void import('../local').then((m) => m.chanceOf(s.your_hand, s.community_cards, others)).then((share) => { if (!gone) set({ key, share }); }, () => undefined);
    return () => { gone = true; };
  }, [key]);
  return others > 0 && found?.key === key ? <p class="sm dim chance">{t('holdem.chance', { p: percent(found.share), n: others })}</p> : null;
}

function Result({ seated }: { seated: Player }) {
  const { over, feed } = seated, me = feed!.table.me!;
  if (!over) return null;
  const order = [...over.players].sort((a, b) => over.result.payoffs[b.player_id] - over.result.payoffs[a.player_id]);
  return <Panel title={seated.result()} cls="result"><table><tbody>{order.map((p, i) => <tr key={p.player_id} class={p.player_id === me ? 'me' : ''}><td class="num dim">{i + 1}</td><td><bdi>{nameOf(feed!.table, p.player_id)}</bdi></td><td class="n"><b>{nf(over.result.payoffs[p.player_id])}</b></td></tr>)}</tbody></table>
    {over.forfeit_reason && <p class="sm dim">{t(`forfeit.${over.forfeit_reason}`)}</p>}
    {seated.error && <Notice kind="warn">{seated.error}</Notice>}{seated.wish && (seated.wish.mine || seated.wish.asked > 0) && <Notice>{t(seated.wish.mine ? 'play.rematch_wait' : 'play.rematch_asked', { n: seated.wish.asked, m: seated.wish.of })}</Notice>}
    <div class="row wrap"><button type="button" class="btn pri" disabled={seated.wish?.mine} onClick={() => void seated.rematch()}>{t('play.rematch')}</button>{over.replay_url && <a class="btn" href={over.replay_url}>{t('watch.replay')}</a>}<a class="btn" href="/play">{t('play.other')}</a></div></Panel>;
}

export function Play({ game, session }: { game: string; session: string }) {
  const [, redraw] = useReducer((n: number) => n + 1, 0), kept = useRef<Player>(), told = useRef<string>(), [hint, setHint] = useState('');
  useEffect(() => {
    let gone = false;
    const sit = (seated: Player) => { kept.current = seated; redraw(0); };
    if (session === 'offline') void import('../local').then((m) => { if (!gone) sit(new m.LocalTable(m.keptSetup(game) ?? m.newSetup(game), () => redraw(0))); }, () => newVersion.set(true));
    else sit(new Seated(game, entryOf(game, session), () => redraw(0), (...is) => history.replaceState(null, '', `/play/${is.join('/')}`)));
    return () => { gone = true; kept.current?.close(); };
  }, []);
  useTitle(t('choose.doc', { game: title(game) }));
  const seated = kept.current, feed = seated?.feed, request = seated?.asked;
  useEffect(() => { setHint(''); if (request && request.id !== told.current) { told.current = request.id; alertNow(question(seated!.feed!.table, seated!.asked?.legal)); } }, [request?.id]);
  useEffect(() => { if (seated?.over) told.current = ''; }, [seated?.over]); // the next match may count its requests anew
  const waiting = useNow(1000, seated?.phase === 'queued'), since = useRef(Date.now());
  if (!seated || seated.phase === 'failed') return <><Head game={game} title={title(game)} />{seated && <div class="panel empty"><h2>{t('play.failed')}</h2><p class="dim">{seated.error}</p><div class="row"><a class="btn pri" href={`/play/${game}`}>{t('error.retry')}</a></div></div>}</>;
  if (!feed) return <><Head game={game} title={title(game)} sub={t('play.waiting')}><IconButton name="flag" label={t('play.leave')} wide onClick={() => go('/play')} /></Head>
    <div class="stackv">{session === 'invited' && sessionStorage.invited && <Panel><p>{t('choose.invited')}</p><Code text={sessionStorage.invited} /></Panel>}<Connection state={seated.state} again={() => seated.again()} playing />
    <div class={`stage waiting g-${game}`}><p role="status">{seated.phase === 'queued' ? t('play.queued', { time: clock(waiting - since.current) }) : seated.doing || t('play.connecting')}</p>{session.startsWith('queue') && <p class="sm">{t('play.queued_note')}</p>}</div></div></>;
  const { table } = feed, g = gameOf(table.game), Act = actOf(table.game), send = (a: Action) => seated.send(a), lost = seated.state.kind !== 'open', said = hint || seated.doing;
  const ask = async () => { const a = await seated.hint(); if (seated.asked === request) setHint(a ? t('local.hint', { move: moveOf(table.game)(a, table) }) : t('play.no_hint')); };
  return <>
    <Head game={table.game} title={title(table.game)} sub={[g.where(table.state), t('home.players', { n: table.seats.length }), seated.local && t('local.tag')].filter(Boolean).join(' · ')}>
      <RulesButton game={table.game} own={seated.rules} /><IconButton name="flag" label={t('play.leave')} wide onClick={() => { if (seated.phase === 'over' || seated.local || confirm(t('play.leave_sure'))) go(`/play/${game}`); }} /></Head>
    <div class="cols"><div class="stackv"><Board table={table} request={lost ? undefined : request} send={send} dim={lost} verdict={feed.idle ? seated.result() : ''} />
      <Connection state={seated.state} again={() => seated.again()} playing />
      {seated.over && feed.idle ? <Result seated={seated} />
        : request ? <form class="panel ask" data-request={request.id} aria-labelledby="question" onSubmit={(e) => e.preventDefault()}>
          <div class="row"><h2 id="question" class="grow">{question(seated.feed!.table, seated.asked?.legal)}</h2>{request.deadline > 0 && <Countdown deadline={request.deadline} />}<button type="button" class="btn bare sm" onClick={ask}><Icon name="bulb" /> {t('play.hint')}</button></div>
          {seated.error && <Notice kind="bad">{seated.error}</Notice>}{said && <Notice>{said}</Notice>}
          <Chance table={table} />
          <Act table={table} request={request} send={send} disabled={lost} /></form>
          : <div class="panel ask wait"><div class="row"><h2 class="grow">{table.turn && table.turn !== table.me ? turnText(table, table.turn) : t('play.others')}</h2></div>{seated.error && <Notice kind="bad">{seated.error}</Notice>}</div>}
    </div><Side feed={feed} /></div>
  </>;
}
