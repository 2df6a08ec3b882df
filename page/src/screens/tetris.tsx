import type { ComponentChildren } from 'preact';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { LocalTetris } from '../local/tetris';
import { useApi, useKeys, useMedia, usePhone, useTitle } from '../lib/hooks';
import { fieldOf, useTetrisBoard, type Run } from '../lib/tetris';
import { columnUnder, placed } from '../lib/tetris_place';
import { useTetris, type Tetris } from '../lib/tetris_play';
import { date, nf, t } from '../lib/text';
import { Icon, type IconName } from '../pieces/icons';
import { heightOf, holesOf } from '../pieces/field';
import { FieldCanvas, Tetro } from '../pieces/tetris';
import { Connection } from '../ui/connection';
import { Empty, Head, IconButton, Notice, Panel, Share } from '../ui/kit';
import { RulesButton } from './rules';
import '../styles/tetris.css';

type Act = (...actions: string[]) => void;

// The field by mouse: the ghost is where the piece would go, a click lets it fall there, the wheel or the other button
// turns it.
function useAim({ observation: o }: Run, act?: Act) {
  const [share, aim] = useState(-1), at = share >= 0 && act && o?.active && !o.paused && !o.game_over ? placed(o.board.cells, o.active, columnUnder(o.board.cells, o.active, share)) : undefined;
  const turn = (e: Event) => { e.preventDefault(); act!('rotateCw'); }, rolled = useRef(0);
  const on = act && {
    onPointerMove: (e: PointerEvent) => { const box = (e.currentTarget as Element).getBoundingClientRect(); if (e.pointerType === 'mouse') aim(Math.max(0, (e.clientX - box.left) / box.width)); },
    onPointerLeave: () => aim(-1),
    onPointerUp: (e: PointerEvent) => { if (e.pointerType === 'mouse' && e.button === 0 && at) { const by = at.x - o!.active!.x; act(...Array<string>(Math.abs(by)).fill(by < 0 ? 'moveLeft' : 'moveRight'), 'hardDrop'); } },
    onContextMenu: turn,
    onWheel: (e: WheelEvent) => { if (e.timeStamp - rolled.current > 100) turn(e); else e.preventDefault(); rolled.current = e.timeStamp; }, // a touchpad tells of one movement many times
  };
  return { at, on };
}

function Stage({ game, act, swipe, children }: { game: Run; act?: Act; swipe?: (e: TouchEvent) => void; children?: ComponentChildren }) {
  const o = game.observation, { at, on } = useAim(game, act);
  if (!o) return <div class="stage g-tetris tet bleed" />;
  const figures: [string, number][] = [['tetris.score', o.score], ['tetris.lines', o.lines], ['tetris.level', o.level], ['tetris.pieces', o.piece_id]], field = fieldOf(o);
  const label = t('tetris.tell', { rows: heightOf(o.board.cells), holes: holesOf(o.board.cells), piece: o.active?.kind.toUpperCase() ?? '', lines: o.lines, level: o.level });
  return <div class="stage g-tetris tet bleed" onTouchStart={swipe} onTouchEnd={swipe}>
    <div class="lft"><div class="box"><span class="xs">{t('tetris.hold')}</span><Tetro kind={o.hold} /></div><dl>{figures.map(([k, v]) => <div key={k}><dt>{t(k)}</dt><dd class="num">{nf(v)}</dd></div>)}</dl></div>
    <div class={`well ${act ? 'aim' : ''}`} {...on}><FieldCanvas field={{ ...field, ghost: at ?? field.ghost }} label={label} />{(o.game_over || o.paused) && <div class="veil"><b>{o.game_over ? t('tetris.over') : t('tetris.paused')}</b></div>}</div>
    <div class="rgt"><div class="box"><span class="xs">{t('tetris.next')}</span><div class="queue">{o.next_queue.map((k, i) => <Tetro key={i} kind={k} />)}</div></div></div>
    {children}
  </div>;
}

// A house bot plays in this browser while `on`.
function useDemo(on: boolean): Run | undefined {
  const [, redraw] = useReducer((n: number) => n + 1, 0), kept = useRef<LocalTetris>();
  useEffect(() => {
    let gone = !on;
    if (on) void import('../local').then((m) => { if (!gone) kept.current = new m.LocalTetris(() => redraw(0), 'house:3'); }, () => undefined);
    return () => { gone = true; kept.current?.stop(); kept.current = undefined; };
  }, [on]);
  return kept.current;
}

// Beside the field: another table that is played now, and how the last pieces came to lie. Where nobody plays, a house bot
// shows how.
function Beside({ game, other }: { game: Run; other?: string }) {
  const o = useTetrisBoard(other ?? null, true).observation, demo = useDemo(useMedia('(min-width: 1241px) and (prefers-reduced-motion: no-preference)') && !other && game.observation?.controller_id === null)?.observation;
  return <div class="bes" aria-hidden="true">{demo && <a class="box demo" href="/play/tetris" tabIndex={-1}><FieldCanvas field={fieldOf(demo)} /><span class="xs">{t('tetris.demo')}</span></a>}{o && <a class="box" href={`/watch/tetris/${other}`} tabIndex={-1}><FieldCanvas field={fieldOf(o)} /><span class="xs clip">{t('tetris.table', { name: other })}</span></a>}
    {game.laid.slice(0, o ? 1 : 2).map((l) => <div class="box" key={l.piece}><FieldCanvas field={l} /><span class="xs">{t('tetris.laid', { n: l.piece, piece: l.active.kind.toUpperCase() })}</span></div>)}</div>;
}

function Figures({ game }: { game: Run }) {
  const h = game.heights.length > 1 ? game.heights : [0, ...game.heights, 0].slice(0, 2), most = Math.max(1, ...game.counts);
  const line = h.map((v, i) => `${i ? 'L' : 'M'}${(i / (h.length - 1) * 300).toFixed(1)} ${(70 - v / 20 * 64).toFixed(1)}`).join('');
  return <>
    <Panel title={t('tetris.height')} extra={<span class="sm dim num">{t('tetris.rows', { n: game.observation ? heightOf(game.observation.board.cells) : 0 })}</span>}><svg class="spark" viewBox="0 0 300 72" preserveAspectRatio="none" role="img" aria-label={t('tetris.height')}><path class="ar" d={`${line}V72H0z`} /><path class="ln acc" d={line} /></svg></Panel>
    <Panel title={t('tetris.at_once')}><div class="bars">{game.counts.map((c, i) => <div key={i}><span class="sm">{i + 1}</span><i style={{ transform: `scaleX(${c / most})` }} /><b class="num sm">{nf(c)}</b></div>)}</div></Panel>
    <Panel title={t('tetris.cleared')} extra={<span class="xs dim">{t('tetris.cleared_cols')}</span>}>{game.cleared.length ? <table class="ev"><tbody>{game.cleared.map((c) => <tr key={c.piece}><td class="num dim">{c.piece}</td><td>{t(`tetris.clear.${c.lines}`)}{c.combo > 0 ? `, ${t('tetris.combo', { n: c.combo })}` : ''}</td><td class="n">+{nf(c.score)}</td></tr>)}</tbody></table> : <Empty text={t('tetris.none')} />}</Panel>
  </>;
}

export function WatchTetris({ name }: { name: string }) {
  const list = useApi<{ tables: { table: string; clients: number; spectators: number; since: string | null }[] }>('/api/tetris/tables', 10000), row = list.data?.tables.find((x) => x.table === name), other = list.data?.tables.find((x) => x.table !== name && x.clients > 0)?.table, [known, know] = useState(false);
  useEffect(() => { if (row) know(true); }, [row]);
  const game = useTetrisBoard(known ? name : null), o = game.observation;
  useTitle(t('watch.doc', { game: 'Tetris' }));
  if (list.data && !row && !known) return <div class="panel empty"><h1>{t('tetris.no_table')}</h1><p class="dim">{t('tetris.table', { name })}</p><a class="btn pri" href={`/play/tetris/${name}`}>{t('home.seat')}</a></div>;
  return <><Head game="tetris" title="Tetris" sub={[t('tetris.table', { name }), row?.since && t('tetris.since', { when: date(row.since) })].filter(Boolean).join(' · ')}>
    <span class={`tag ${o?.controller_id ? 'live' : ''}`}>{o?.controller_id ? t('watch.live') : t('tetris.free')}</span>{row && <span class="tag wide-only"><Icon name="eye" /> {nf(row.spectators)}</span>}{o && !o.controller_id && <a class="btn pri" href={`/play/tetris/${name}`}>{t('home.seat')}</a>}<RulesButton game="tetris" /><Share /></Head>
    {list.error && <Notice kind="warn">{list.error.message}</Notice>}<div class="cols"><Stage game={game}><Beside game={game} other={other} /></Stage><aside class="stackv" aria-label={t('tetris.figures')}><Figures game={game} /></aside></div></>;
}

const KEYS: Record<string, string> = { ArrowLeft: 'moveLeft', ArrowRight: 'moveRight', ArrowUp: 'rotateCw', ArrowDown: 'softDrop', z: 'rotateCcw', ' ': 'hardDrop', c: 'hold', p: 'pause' };
const PAD: [IconName, string, string][] = [['left', 'moveLeft', 'tetris.do.left'], ['turn', 'rotateCw', 'tetris.do.turn'], ['drop', 'hardDrop', 'tetris.do.drop'], ['hold', 'hold', 'tetris.do.hold'], ['right', 'moveRight', 'tetris.do.right']];

// A table of one's own by default: its name is this browser's. `offline` is this browser alone.
export function PlayTetris({ name }: { name?: string }) {
  if (name === 'offline') return <Offline />;
  return <Online table={name ?? (localStorage.tetris ??= `page-${Math.random().toString(36).slice(2, 8)}`)} />;
}
function Online({ table }: { table: string }) {
  const game = useTetris(table);
  return <Screen game={game} away={<a class="btn" href="/play/tetris/offline">{t('local.instead')}</a>} />;
}
function Offline() {
  const [, redraw] = useReducer((n: number) => n + 1, 0), kept = useRef<LocalTetris>(), [failed, fail] = useState(false);
  useEffect(() => {
    let gone = false;
    void import('../local').then((m) => { if (!gone) kept.current = new m.LocalTetris(() => redraw(0)); }, () => fail(true));
    return () => { gone = true; kept.current?.stop(); };
  }, []);
  const k = kept.current;
  if (failed || k?.error) return <><Head game="tetris" title="Tetris" /><Notice kind="bad">{t('local.none')}</Notice></>;
  return <Screen game={{ observation: k?.observation, heights: k?.heights ?? [], cleared: k?.cleared ?? [], counts: k?.counts ?? [0, 0, 0, 0], laid: [], state: { kind: 'open' }, act: (...a) => k?.act(...a), restart: () => void k?.restart() }} />;
}

function Screen({ game, away }: { game: Tetris; away?: ComponentChildren }) {
  const touch = usePhone(), narrow = useMedia('(max-width: 1240px)'), o = game.observation, from = useRef<[number, number, number]>();
  useTitle(t('choose.doc', { game: 'Tetris' }));
  useKeys((e) => {
    if (e.key === 'r' || (e.key === 'Enter' && o?.game_over)) { game.restart(); return true; }
    const action = KEYS[e.key];
    if (!action || ((e.key === ' ' || e.key === 'Enter') && (e.target as HTMLElement).closest('button, a'))) return false;
    game.act(action);
    return true;
  });
  useEffect(() => { const hide = () => { if (document.hidden && game.observation && !game.observation.paused && !game.observation.game_over) game.act('pause'); }; document.addEventListener('visibilitychange', hide); return () => document.removeEventListener('visibilitychange', hide); });
  const swipe = (e: TouchEvent) => {
    const at = e.changedTouches[0];
    if (e.type === 'touchstart') { from.current = [at.clientX, at.clientY, Date.now()]; return; }
    if (!from.current) return;
    const dx = at.clientX - from.current[0], dy = at.clientY - from.current[1];
    if (Math.abs(dx) < 16 && Math.abs(dy) < 16) game.act('rotateCw');
    else if (Math.abs(dx) > Math.abs(dy)) game.act(...Array(Math.max(1, Math.min(9, Math.round(Math.abs(dx) / 32)))).fill(dx < 0 ? 'moveLeft' : 'moveRight'));
    else if (dy > 0) game.act(dy > 90 ? 'hardDrop' : 'softDrop');
    else game.act('hold');
  };
  const pad = <div class="pad" role="group" aria-label={t('tetris.pad')}>{PAD.map(([icon, action, label]) => <button type="button" key={action} class="btn" aria-label={t(label)} title={t(label)} onClick={() => game.act(action)}><Icon name={icon} /></button>)}</div>;
  return <><Head game="tetris" title="Tetris" sub={t(touch ? 'tetris.swipe' : 'tetris.keys')}><RulesButton game="tetris" /><IconButton name="pause" label={t('tetris.do.pause')} onClick={() => game.act('pause')} /><IconButton name="turn" label={t('tetris.do.restart')} wide onClick={() => game.restart()} /></Head>
    <Connection state={game.state} again={() => undefined} playing />{game.state.kind === 'waiting' && away}
    {game.role === 'observer' && <Notice kind="warn">{t('tetris.taken')}</Notice>}
    <div class="cols"><div class="stackv"><Stage game={game} act={game.act} swipe={swipe}>{!narrow && pad}</Stage>
      {o?.game_over && <div class="panel ask"><h2>{t('tetris.final', { score: o.score, lines: o.lines })}</h2><div class="row"><button type="button" class="btn pri" onClick={() => game.restart()}>{t('tetris.again')} <kbd>R</kbd></button><a class="btn" href="/play">{t('play.other')}</a></div></div>}
      {narrow && pad}</div>
      <aside class="stackv wide-only" aria-label={t('tetris.figures')}><Figures game={game} /></aside></div></>;
}
