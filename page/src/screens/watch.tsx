import { useEffect, useState } from 'preact/hooks';
import { GAMES, gameOf, title, type GameEvent } from '../games';
import { nameOf } from '../games/seat';
import { muted } from '../lib/announce';
import { call } from '../lib/api';
import { decisionOf, Feed, KEPT } from '../lib/feed';
import { useApi, useKeys, useNow, useTitle } from '../lib/hooks';
import { go } from '../lib/router';
import { useSpectator } from '../lib/spectate';
import { useSignal } from '../lib/signal';
import { list as listed, t } from '../lib/text';
import { Icon } from '../pieces/icons';
import { Board } from '../ui/board';
import { Connection } from '../ui/connection';
import { Failure, Head, Notice, Panel, Share } from '../ui/kit';
import { Side } from '../ui/side';
import { RulesButton } from './rules';

// What happened before this visitor came: told as if it had been seen, for the log and the chart.
async function recall(feed: Feed, live: string, until: number): Promise<void> {
  const events: GameEvent[] = [], { seats, game } = feed.table;
  let part: { events: GameEvent[]; config: unknown; has_more: boolean };
  do events.push(...(part = await call(`/api/matches/live/${live}/events?from=${events.length}`)).events); while (part.has_more && events.length < until);
  const past = new Feed({ game, seats, state: feed.game.start(seats.length, part.config), quiet: true, onChange: () => undefined });
  past.push(events.slice(0, until));
  past.skip();
  past.stop();
  const { state } = feed.table, { turns = 0, chain } = past.table.state; // which the page counts and keeps itself
  for (const { head, say } of feed.lines) if (head && turns) say.args!.n = (say.args!.n as number) + turns;
  feed.lines = [...past.lines, ...feed.lines].slice(-KEPT);
  feed.history = [...past.history, ...feed.history];
  feed.change({ state: { ...state, turns: turns + (state.turns ?? 0), chain: state.turns ? state.chain : [...(chain ?? []), ...(state.chain ?? [])] } });
}

// Nobody plays there. The server knows whether a replay is there instead.
function Ended({ live }: { live: string }) {
  const [none, tell] = useState(false);
  useEffect(() => { void fetch(`/watch/${live}`).then(async (r) => { await r.text(); if (r.redirected) go(new URL(r.url).pathname, true); else tell(true); }, () => tell(true)); }, []);
  return none ? <div class="panel empty"><h1>{t('watch.over')}</h1><p class="dim">{t('watch.over_sub')}</p><a class="btn pri" href="/">{t('watch.others')}</a></div> : null;
}

export function Watch({ live }: { live: string }) {
  const list = useApi<{ matches: { id: string; game: string; mode: string; spectators: number }[] }>('/api/matches/live', 10000), row = list.data?.matches.find((m) => m.id === live);
  const [begun, begin] = useState(false);
  useEffect(() => { if (row) begin(true); }, [row]);
  const w = useSpectator(begun ? live : null), feed = w.feed, silent = useSignal(muted), [tab, pick] = useState('events'), [full, fill] = useState(false);
  useNow(1000, Boolean(feed?.table.deadline));
  const name = feed ? title(feed.game.name) : '';
  useTitle(name ? t('watch.doc', { game: name }) : '');
  useEffect(() => { if (feed && w.start.seq) void recall(feed, live, w.start.seq).catch(() => undefined); }, [feed]);
  useEffect(() => { // the match is over: now the seats have names
    if (w.end?.players && feed) feed.change({ seats: w.end.players.map((p) => ({ pid: p.player_id, name: p.agent_name, agent: p.agent_id })), deadline: undefined });
    if (w.end && feed?.decisions.length) void call<{ decisions: any[] }>(`/api${w.end.replay_url.replace('replay', 'replays')}/decisions`).then((r) => { feed.decisions = r.decisions.slice(-60).map(decisionOf); feed.change({}); }, () => undefined); // and their reports the rest
  }, [w.end]);
  useKeys((e) => {
    if (e.key === 'l') { pick('events'); document.querySelector<HTMLElement>('.log')?.focus(); return true; }
    if (e.key === 'd') { pick('decisions'); return true; }
    if (e.key === 'm') { muted.set(!muted.get()); return true; }
    if (e.key === 'f') { fill(!full); return true; }
    return false;
  });
  if (list.error && !begun) return <Failure error={list.error} retry={list.reload} />;
  if (list.data && !row && !begun) return <Ended live={live} />;
  if (!feed) return <><Head title=" " /><div class="cols"><div class={`stage poker bleed g-${row?.game ?? GAMES[0]}`} /><aside class="panel side" /></div></>;
  const { table } = feed, game = gameOf(table.game), delay = w.start?.delay_seconds ?? 0;
  const end = w.end?.result, best = end && Math.max(...Object.values(end.payoffs)), won = end && (end.is_draw ? t('match.draw') : t('home.won', { name: listed(table.seats.filter((s) => end.payoffs[s.pid] === best).map((s) => nameOf(table, s.pid))) }));
  return <div class={full ? 'full' : ''}>
    <Head game={table.game} title={t('watch.title', { game: name })} sub={[game.where(table.state), t(`mode.${w.start.mode === 'ranked' ? 'ranked' : 'unrated'}`), t('home.players', { n: table.seats.length })].filter(Boolean).join(' · ')}>
      {!w.end && <span class="tag live"><span class="wide-only">{delay ? t('watch.behind', { n: delay }) : t('watch.live')}</span><span class="phone-only">{delay ? t('watch.behind_short', { n: delay }) : t('watch.live')}</span></span>}
      {row && <span class="tag wide-only"><Icon name="eye" /> {row.spectators}</span>}{silent && <span class="tag">{t('watch.muted')}</span>}
      <RulesButton game={table.game} /><Share />
    </Head>
    <div class="cols"><div class="stackv"><Board table={table} dim={w.state.kind === 'waiting' && !w.end} verdict={feed.idle ? won : ''} />
      {w.end ? <Notice action={<a class="btn pri" href={w.end.replay_url}>{t('watch.replay')}</a>}>{t('watch.ended')} {won}</Notice> : <Connection state={w.state} again={w.again} />}
      {game.facts && <Panel cls="facts"><dl>{game.facts(table).map(([k, v]) => <div key={k}><dt>{k}</dt><dd class="clip">{v}</dd></div>)}</dl></Panel>}</div>
      <Side feed={feed} at={tab} onPick={pick} /></div>
  </div>;
}
