// The solved tables by which the strongest house bots play: a file a game, loaded when somebody wants such a bot, checked by the
// module of the bots, and then kept for when the server is gone.
import { useEffect, useState } from 'preact/hooks';
import { keptFiles } from '../lib/offline';
import { signal, useSignal } from '../lib/signal';
import { addTexts, percent, t } from '../lib/text';
import { openBots, RulesError } from '../rules';
import texts from '../texts/en.lines?local';
import { Notice } from '../ui/kit';
import { prefetch, urlOf } from './modules';

addTexts(texts);

type Stage = number | 'away' | 'wrong'; // which share has come; 1: it is here
const stages = signal<Record<string, Stage>>({});
const loads: Record<string, Promise<Uint8Array>> = {};

/** Calls `f` whenever more of a table has come. */
export const followTables = (f: () => void): (() => void) => stages.follow(f);

async function read(game: string, size: number, answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  let at = 0;
  for (const reader = answer.body!.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, at);
    if (at + value.length > size) throw new RulesError('the table is too long');
    bytes.set(value, at);
    enter(game, Math.min((at += value.length) / size, 0.99)); // until it has been checked
  }
}
const enter = (game: string, stage: Stage): void => stages.set({ ...stages.get(), [game]: stage });

async function load(game: string): Promise<Uint8Array> {
  const from = stages.get()[game] === 'wrong' ? 'reload' : 'default'; // what the browser kept may be what was wrong
  enter(game, 0);
  const bots = await openBots(game), url = urlOf(game, 'table'), cache = await keptFiles().catch(() => undefined);
  if (!url) throw new Error('the page was built without it');
  try {
    const kept = await cache?.match(url), bytes = await read(game, bots.tableSize, kept ?? (await fetch(url, { cache: from })));
    bots.take(bytes);
    if (!kept) await cache?.put(url, new Response(bytes)).catch(() => undefined); // no room: it plays all the same
    return bytes;
  } catch (e) {
    if (e instanceof RulesError) await cache?.delete(url);
    throw e;
  }
}

export function loadTable(game: string): Promise<Uint8Array> {
  return (loads[game] ??= load(game).then((bytes) => { enter(game, 1); return bytes; }, (e) => {
    delete loads[game];
    enter(game, e instanceof RulesError ? 'wrong' : 'away');
    throw e;
  }));
}

/** Levels up to this one play without the table. */
export const freeLevels = async (game: string): Promise<number> => {
  const bots = await openBots(game);
  return [1, 2, 3, 4, 5].filter((level) => !bots.needsTable(`house:${level}`)).length;
};

/** What there is to say of the table, where a level needs it. */
export const tableText = (game: string, level: number, n: number): string => {
  const stage = stages.get()[game] ?? 0;
  return t(typeof stage === 'string' ? `local.table_${stage}` : stage < 1 ? 'local.table' : 'local.table_here', { level, n, p: percent(Number(stage)) });
};

/** What a visitor is told who chose this browser and a level. All that the game will ask for is loaded, the table when that level needs it. */
export function Offline({ game, level, away }: { game: string; level: number; away: boolean }) {
  const stage = useSignal(stages)[game] ?? 0, [free, set] = useState(5), needed = level > free, again = () => void loadTable(game).catch(() => undefined);
  useEffect(() => { void prefetch(game).catch(() => undefined); void freeLevels(game).then(set, () => undefined); }, [game]);
  useEffect(() => { if (needed) again(); }, [game, needed]);
  const text = needed && tableText(game, level, free);
  return <>{!away && <p class="sm dim">{t('local.note')}</p>}{typeof stage === 'number' || !text ? <p class="sm dim" role="status">{text}</p>
    : <Notice kind="warn" action={<button type="button" class="btn sm" onClick={again}>{t('error.retry')}</button>}>{text}</Notice>}</>;
}
