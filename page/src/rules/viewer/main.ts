// The exported file (`agon replay html`): one replay, the rules of its game, and this viewer. Nothing is requested.
import { openReplay, RulesError, setModuleSource, type Replay, type Viewer } from '../index';
import type { Analysis } from '../analysis';
import { byStep, costlySteps, drawAnalysis, drawMarks, noteOf } from './analysis';
import { drawBoard, isDrawn } from './boards';
import { element } from './element';
import { currentLine, drawLog, readLog, type Line } from './log';

const speeds = [1, 2, 4, 16];
const STEP_MS = 1000; // of a step where time does not move the game

const bytesOf = (id: string) => {
  const text = atob(document.getElementById(id)!.textContent!.trim());
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
};

/** "#12&seat=p1": step 12 as the first seat sees it; seat=all is the default, seat=public the gallery. */
function readLink(replay: Replay): { step: number; viewer: Viewer } {
  const link = new URLSearchParams(`step=${location.hash.slice(1)}`);
  const seat = link.get('seat') ?? 'all';
  const number = Number(/^p(\d+)$/.exec(seat)?.[1]) - 1;
  const viewer = number >= 0 && number < replay.seats.length ? number : seat === 'public' ? 'public' : 'all';
  return { step: Math.min(Math.max(0, Math.trunc(Number(link.get('step'))) || 0), replay.steps), viewer };
}

const nameOf = (viewer: Viewer): string => (typeof viewer === 'number' ? `p${viewer + 1}` : viewer);

function show(replay: Replay, copy: Replay, analysis: Analysis | undefined): void {
  let { step, viewer } = readLink(replay);
  let lines: Line[] = [];
  let stop = (): void => undefined;
  let playing = 0;
  let speed = 0;
  const decisions = analysis ? byStep(analysis) : undefined;
  const costly = analysis ? costlySteps(analysis) : [];
  const note = (at: number): string => { const d = decisions?.get(at); return d ? noteOf(analysis!, d) : ''; };
  const viewers: Viewer[] = ['all', 'public', ...replay.seats.map((_, seat) => seat)];

  const alone = replay.seats.length === 1; // nobody has anything to hide
  const verified = replay.verified === true;
  const tag = element('span', { id: 'verified', className: verified ? 'tag good' : 'tag open', title: `commitment ${replay.commitment}` }, verified ? 'Deal verified' : 'Verified as far as it goes');
  const choice = element('select', { id: 'viewpoint' }, ...viewers.map((v) => element('option', { value: nameOf(v) }, v === 'all' ? 'All cards' : v === 'public' ? 'Public' : replay.seats[v as number]!)));
  const board = element('section', { id: 'board', className: isDrawn(replay.game) ? 'panel drawn' : 'panel' });
  board.setAttribute('aria-label', 'Table');
  if (!isDrawn(replay.game)) board.tabIndex = 0; // it scrolls
  const list = element('ol', { id: 'log' });
  list.setAttribute('aria-label', 'Events');
  list.tabIndex = 0;
  const spoken = element('p', { id: 'state' });
  spoken.setAttribute('role', 'status');
  const scrubber = element('input', { type: 'range', id: 'scrubber', min: '0', max: String(replay.steps), step: '1' });
  scrubber.setAttribute('aria-label', 'Step');
  const where = element('span', { id: 'where' });
  const button = (id: string, label: string, title: string, act: () => void, className = ''): HTMLButtonElement => {
    const made = element('button', { id, type: 'button', title, className }, label);
    made.setAttribute('aria-label', title);
    made.addEventListener('click', act);
    return made;
  };

  const draw = (): void => {
    scrubber.value = String(step);
    scrubber.setAttribute('aria-valuetext', `step ${step} of ${replay.steps}${costly.includes(step) ? ', a mistake' : ''}`);
    where.textContent = `${step} / ${replay.steps}`;
    choice.value = nameOf(viewer);
    board.replaceChildren(drawBoard({ game: replay.game, names: replay.seats, viewer, view: () => replay.view(step, viewer), text: (v) => replay.text(step, v) }));
    drawLog(list, lines, step, go, note);
    const now = currentLine(lines, step);
    spoken.textContent = `${step === replay.steps ? endOf() : now >= 0 ? lines[now]!.text : 'The start.'} ${note(step)}`.trim();
  };
  const endOf = (): string => {
    const payoffs = replay.payoffs(step);
    const end = replay.turn(step).kind === 'over' ? 'The end' : 'The replay ends here';
    return `${end}: ${replay.seats.map((name, seat) => `${name} ${payoffs[seat]}`).join(', ')}.`;
  };
  const link = (): void => {
    const hash = `#${step}${viewer === 'all' ? '' : `&seat=${nameOf(viewer)}`}`;
    try {
      history.replaceState(null, '', hash);
    } catch {
      location.hash = hash; // some browsers forbid the other for files
    }
  };
  const go = (to: number): void => {
    const next = Math.min(Math.max(0, to), replay.steps);
    if (next === step) return;
    step = next;
    draw();
    link();
  };
  /** To the next or last step in which something is told. */
  const leap = (by: 1 | -1): void => {
    const now = currentLine(lines, by > 0 ? step : step - 1);
    go(lines[by > 0 ? now + 1 : now]?.step ?? (by > 0 ? replay.steps : 0));
  };
  const seek = (by: 1 | -1): void => {
    const to = by > 0 ? costly.find((at) => at > step) : [...costly].reverse().find((at) => at < step);
    if (to !== undefined) go(to);
  };
  const look = (as: Viewer): void => {
    viewer = as;
    stop();
    lines = [];
    stop = readLog(copy, viewer, (read, done) => {
      lines = read;
      if (done) list.dataset['done'] = String(read.length);
      draw();
    });
    link();
  };
  const pause = (): void => {
    window.clearInterval(playing);
    playing = 0;
    play.textContent = 'Play';
  };
  const start = (): void => {
    if (step === replay.steps) go(0);
    window.clearInterval(playing);
    const tick = replay.about.tick_ms;
    const every = (tick || STEP_MS) / speeds[speed]!;
    const by = Math.max(1, Math.round(16 / every));
    playing = window.setInterval(() => (step < replay.steps ? go(step + by) : pause()), every * by);
    play.textContent = 'Pause';
  };
  const toggle = (): void => (playing ? pause() : start());
  const setSpeed = (to: number): void => {
    speed = to;
    faster.textContent = `${speeds[speed]}×`;
    if (playing) start();
  };
  const play = button('play', 'Play', 'Play or pause (space)', toggle, 'primary');
  const faster = button('speed', '1×', 'Speed (1 to 4)', () => setSpeed((speed + 1) % speeds.length));
  const copyLink = button('link', 'Copy link', 'Copy a link to this step (c)', () => void navigator.clipboard?.writeText(location.href).catch(() => undefined));

  scrubber.addEventListener('input', () => go(Number(scrubber.value)));
  choice.addEventListener('change', () => look(viewers.find((v) => nameOf(v) === choice.value)!));
  window.addEventListener('hashchange', () => {
    const to = readLink(replay);
    if (to.viewer !== viewer) look(to.viewer);
    go(to.step);
  });
  const keys: Record<string, () => void> = {
    ArrowLeft: () => go(step - 1),
    ArrowRight: () => go(step + 1),
    'Shift+ArrowLeft': () => leap(-1),
    'Shift+ArrowRight': () => leap(1),
    Home: () => go(0),
    End: () => go(replay.steps),
    ' ': toggle,
    v: () => !alone && look(viewers[(viewers.indexOf(viewer) + 1) % viewers.length]!),
    c: () => copyLink.click(),
    m: () => seek(1),
    'Shift+M': () => seek(-1),
    ...Object.fromEntries(speeds.map((_, i) => [String(i + 1), () => setSpeed(i)])),
  };
  document.addEventListener('keydown', (event) => {
    const act = keys[(event.shiftKey ? 'Shift+' : '') + event.key];
    const on = event.target as HTMLElement;
    const taken = on.tagName === 'SELECT' || (event.key === ' ' && on.tagName === 'BUTTON');
    if (!act || taken || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });

  const main = document.getElementById('viewer')!;
  main.replaceChildren(
    element('header', {}, element('h1', { id: 'title' }, replay.about.title), tag, ...(alone ? [] : [element('label', {}, 'As ', choice)])),
    board,
    element('section', { className: 'panel' }, list),
    element('div', { id: 'controls' }, button('first', '|◀', 'To the start (Home)', () => go(0)), button('back', '◀', 'One step back (left)', () => go(step - 1)), play, button('next', '▶', 'One step on (right)', () => go(step + 1)), button('last', '▶|', 'To the end (End)', () => go(replay.steps)), element('div', { id: 'track' }, scrubber, ...(analysis ? [drawMarks(analysis, replay.steps)] : [])), where, faster, copyLink),
    spoken,
    ...(analysis ? [drawAnalysis(analysis, replay.seats)] : []),
    element('p', { className: 'hint' }, 'Keys: left and right step, with Shift to the next event, Home and End, space plays, 1 to 4 speed, ' + (alone ? 'c copies a link.' : 'v viewpoint, c copies a link. This file holds all cards.')),
  );
  main.removeAttribute('aria-busy');
  if (!verified) tag.title = String(replay.verified);
  look(viewer);
}

async function begin(): Promise<void> {
  const module = bytesOf('module');
  const file = bytesOf('replay');
  setModuleSource(async () => module);
  try {
    const told = new TextDecoder().decode(bytesOf('analysis-data'));
    show(await openReplay(file), await openReplay(file), told ? (JSON.parse(told) as Analysis) : undefined);
  } catch (error) {
    const state = document.getElementById('state')!;
    const why = error instanceof RulesError ? error.message : String(error);
    state.className = 'refused';
    state.textContent = `This replay is refused: ${why}.`;
    document.getElementById('viewer')!.removeAttribute('aria-busy');
  }
}

void begin();
