import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { GAMES, title, type Table } from '../games';
import { hasOdds } from '../games/known';
import { ApiError } from '../lib/api';
import { useApi, useKeys, useTitle } from '../lib/hooks';
import { load, type Meta, type Recording, type Viewer } from '../lib/replay';
import { decisionOf, type Line } from '../lib/feed';
import { date, foreign, nf, t } from '../lib/text';
import { Icon } from '../pieces/icons';
import { Board } from '../ui/board';
import { AsTable, LineChart } from '../ui/chart';
import { copyText, Failure, Head, IconButton, Segments, Tabs } from '../ui/kit';
import { Log } from '../ui/log';
import { Say } from '../ui/say';
import { Decisions } from '../ui/side';
import { RulesButton } from './rules';
import { Why } from './why';
import '../styles/replay.css';

const SPEEDS = [0.5, 1, 2, 4];

// "?seat=p1#12"; a match that no server has, in the exported file too: "#12&seat=p1".
const link = () => new URLSearchParams(`${location.search}&at=${location.hash.slice(1)}`);

// Chances of the hands that are open, as soon as they are counted.
function useOdds(r: Recording | undefined, step: number, on: boolean): Record<string, number> | undefined {
  const [found, set] = useState<{ step: number; odds?: Record<string, number> }>({ step: -1 });
  useEffect(() => {
    let gone = false;
    if (on) void r?.odds(step)?.then((odds) => { if (!gone) set({ step, odds }); }, () => undefined);
    return () => { gone = true; };
  }, [r, step, on]);
  return on && found.step === step ? found.odds : undefined;
}

function Proof({ r }: { r: Recording }) {
  const { meta } = r;
  return <div class="prose proof"><p>{t(`proof.${r.verdict}.long`)}</p>{r.refused && <p class="bad">{r.refused}</p>}{r.verdict === 'broken' && r.proven && <p class="bad">{foreign(String(r.proven.verified), 'proof.broken')}</p>}
    <dl><div><dt>{t('proof.commitment')}</dt><dd><code>{meta.seed_commitment}</code></dd></div>{meta.seed && <div><dt>{t('proof.key')}</dt><dd><code>{meta.seed}</code></dd></div>}{meta.deal && <div><dt>{t('proof.number')}</dt><dd><a class="link" href={`/api/commitments/${meta.deal.number}`}>{nf(meta.deal.number)}</a></dd></div>}</dl>
    <p class="sm dim">{t('proof.program')}</p><pre><code>agon replay verify FILE</code></pre></div>;
}

// What players reported about their moves, up to this step.
function Reports({ id, table, seq }: { id: string; table: Table; seq: number }) {
  const { data } = useApi<{ decisions: any[] }>(`/api/replays/${id}/decisions`);
  return data ? <Decisions feed={{ table, decisions: data.decisions.filter((d) => d.seq <= seq).map(decisionOf) }} /> : null;
}

// What the match made of a player's rating.
const was = (p: Meta['players'][0]) => p.rating_after !== undefined && <span class="num dim" title={t('board.rating')}> {nf(Math.round(p.rating_before!))} → {nf(Math.round(p.rating_after))}</span>;

export function Replay({ id }: { id: string }) {
  const [r, set] = useState<Recording>(), [error, fail] = useState<ApiError>(), [step, setStep] = useState(0), [playing, play] = useState(false), [speed, setSpeed] = useState(1);
  const wanted = link().get('seat') as Viewer | null, [viewer, look] = useState<Viewer>(wanted ?? 'all'), [copied, copy] = useState(false), [tab, pick] = useState('events');
  const [chart, plot] = useState<'usual' | 'chance'>('usual'), [chances, setChances] = useState<[number, number[]][]>();
  const [costs, setCosts] = useState<number[]>([]);
  const now = useRef({ step: 0 });
  now.current.step = step;
  useEffect(() => {
    load(id).then((rec) => {
      set(rec);
      setStep(location.hash ? rec.at(Number(link().get('at'))) : 0);
      if (rec.analysis) pick('why');
      if (!rec.views.includes(wanted ?? 'all')) look(rec.views.includes('all') ? 'all' : 'public');
    }, fail);
  }, [id]);
  useEffect(() => { const jump = () => { const to = link(), seat = to.get('seat') as Viewer; if (r && location.hash) setStep(r.at(Number(to.get('at')))); if (r?.views.includes(seat)) look(seat); }; addEventListener('hashchange', jump); return () => removeEventListener('hashchange', jump); }, [r]);
  const steps = r?.steps ?? 0, to = (n: number) => { setStep(Math.max(0, Math.min(steps - 1, n))); };
  useEffect(() => {
    if (!playing || !r) return undefined;
    if (step >= steps - 1) { play(false); return undefined; }
    const rest = Math.max(700, r.game.pause?.(r.events[step]) ?? 0) / speed, timer = setTimeout(() => to(now.current.step + 1), rest);
    return () => clearTimeout(timer);
  }, [playing, step, speed, r]);
  useEffect(() => {
    if (!r || !steps) return;
    const seat = viewer === 'all' || r.views.length === 1 ? '' : `seat=${viewer}`, at = `#${r.events[step].seq}`;
    history.replaceState(null, '', r.meta.id === 'local' ? at + (seat && `&${seat}`) : location.pathname + (seat && `?${seat}`) + at);
  }, [step, viewer, r]);
  const left = (n: number) => ({ left: `${n / Math.max(1, steps - 1) * 100}%` });
  const marks = useMemo(() => r?.marks ?? [], [r]), usual = useMemo(() => r?.points() ?? [], [r]), points = chart === 'chance' ? chances ?? [] : usual;
  const hand = (by: number) => { const all = [...marks, steps - 1]; to(by > 0 ? all.find((m) => m > step) ?? steps - 1 : [...all].reverse().find((m) => m < step) ?? 0); };
  const share = () => { void copyText(location.href); copy(true); setTimeout(() => copy(false), 1500); };
  const nextView = () => { if (r) look(r.views[(r.views.indexOf(viewer) + 1) % r.views.length]); };
  useKeys((e) => {
    switch (e.key) {
      case 'ArrowLeft': if (e.shiftKey) hand(-1); else to(step - 1); return true;
      case 'ArrowRight': if (e.shiftKey) hand(1); else to(step + 1); return true;
      case 'Home': to(0); return true;
      case 'End': to(steps - 1); return true;
      case ' ': if ((e.target as HTMLElement).tagName === 'BUTTON') return false; play(!playing); return true;
      case '1': case '2': case '3': case '4': setSpeed(SPEEDS[Number(e.key) - 1]); return true;
      case 'v': nextView(); return true;
      case 'c': share(); return true;
      case 'm': case 'M': to((e.shiftKey ? [...costs].reverse().find((c) => c < step) : costs.find((c) => c > step)) ?? step); return true;
      default: return false;
    }
  });
  const lines = useMemo(() => {
    if (!r) return [] as Line[];
    return r.events.flatMap((e, i) => {
      const before = i ? r.states[i - 1] : r.start, head = r.game.heads?.(e, before), say = r.game.words(e, before);
      return [...(head ? [{ seq: e.seq, head: true, say: head }] : []), ...(say ? [{ seq: e.seq, say, player: e.player ?? say.who }] : [])] as Line[];
    });
  }, [r]);
  const table = useMemo<Table | undefined>(() => {
    if (!r) return undefined;
    const state = r.state(step, viewer), e = r.events[step], said: Record<string, string> = {};
    if (e?.player && r.game.say?.(e)) said[e.player] = r.game.say(e);
    const next = r.events[step + 1];
    return { game: r.meta.game, seats: r.seats, state, said, last: e, turn: next?.player ?? undefined };
  }, [r, step, viewer]);
  const odds = useOdds(r, step, viewer === 'all');
  useEffect(() => { if (r && chart === 'chance' && !chances) void r.chances().then(setChances, () => undefined); }, [r, chart]);
  useTitle(r ? t('replay.doc', { game: title(r.meta.game) }) : '');
  if (error) return <Failure error={error} />;
  if (!r || !table) return <><Head title=" " /><div class="cols"><div class={`stage poker short bleed g-${GAMES[0]}`} /><aside class="panel side" /></div></>;
  const from = Math.max(0, lines.findIndex((x) => x.seq >= r.events[Math.max(0, step - 60)].seq)), shown = lines.slice(from, from + 160);
  const heads = lines.filter((x) => x.head), verdict = r.verdict;
  const series = r.seats.map((s, i) => ({ name: s.name, hue: i % 6, points: points.map(([at, v]) => [at, v[i] ?? 0] as [number, number]) }));
  const name = (v: Viewer) => (v === 'all' ? t('replay.all') : v === 'public' ? t('replay.public') : r.name(v));
  return <>
    <Head game={r.meta.game} title={t('replay.title', { game: title(r.meta.game), n: r.seats.length })} sub={[r.meta.finished_at && `${t(r.meta.rated ? 'mode.ranked' : 'mode.unrated')} · ${date(r.meta.finished_at)}`, t('replay.events', { n: steps })].filter(Boolean).join(' · ')}>
      <button type="button" class={`tag ${verdict === 'broken' ? 'broken' : 'ok'}`} aria-label={t(`proof.${verdict}`)} onClick={() => pick('proof')}><Icon name={verdict === 'broken' ? 'warn' : 'check'} /> <span class="wide-only">{t(`proof.${verdict}`)}</span><span class="phone-only">{t(verdict === 'proven' ? 'proof.proven.short' : `proof.${verdict}`)}</span></button>
      <RulesButton game={r.meta.game} /><button type="button" class="btn wide-only" onClick={share}><Icon name={copied ? 'check' : 'link'} /> {copied ? t('copied') : t('replay.link')}</button>
      {r.meta.id !== 'local' && <a class="btn wide-only" href={`/api/replays/${r.meta.id}/file`} download={`${r.meta.game}-${r.meta.id.slice(0, 8)}.agon`}><Icon name="down" /> {t('replay.download')}</a>}</Head>
    <div class="cols replaying"><div class="stackv"><Board table={{ ...table, odds }} />
      <div class="panel deck"><div class="row ctl"><IconButton name="first" label={t('replay.first')} onClick={() => to(0)} /><IconButton name="prev" label={t('replay.back')} onClick={() => to(step - 1)} /><IconButton name={playing ? 'pause' : 'play'} pri label={playing ? t('replay.pause') : t('replay.play')} onClick={() => { if (step >= steps - 1) to(0); play(!playing); }} /><IconButton name="next" label={t('replay.forward')} onClick={() => to(step + 1)} /><IconButton name="last" label={t('replay.last')} onClick={() => to(steps - 1)} />
        <span class="sm num" id="pos">{t('replay.step', { n: step + 1, m: steps })}</span><span class="grow" /><button type="button" class="btn bare sm wide-only" aria-label={t('replay.speed', { n: speed })} onClick={() => setSpeed(SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length])}>{speed}×</button>
        {r.views.length > 3 ? <select aria-label={t('replay.view')} value={viewer} onChange={(e) => look(e.currentTarget.value as Viewer)}>{r.views.map((v) => <option key={v} value={v}>{name(v)}</option>)}</select> : r.views.length > 1 && <Segments items={[...r.views].reverse().map((v) => [v, name(v)] as [Viewer, string])} at={viewer} label={t('replay.view')} onPick={look} />}</div>
        <div class="chart"><LineChart series={series} width={steps - 1} marks={marks} label={t(chart === 'chance' ? 'chart.chance' : r.game.chart?.label ?? 'replay.scrub')} /><i class="cursor" style={left(step)} />{costs.map((c) => <i key={c} class="cost" style={left(c)} />)}
          <input type="range" min={0} max={steps - 1} value={step} aria-label={t('replay.scrub')} aria-valuetext={t(costs.includes(step) ? 'why.step' : 'replay.step', { n: step + 1, m: steps })} onInput={(e) => to(Number(e.currentTarget.value))} />
          <div class="ticks xs" aria-hidden="true">{marks.filter((_, k) => marks.length < 16 || k % Math.ceil(marks.length / 12) === 0).map((m) => <span key={m} style={left(m)}>{marks.indexOf(m) + 1}</span>)}</div></div>
        <div class="key xs">{r.seats.map((s, i) => <span key={s.pid}><i class={`hue-${i % 6}`} /><bdi>{s.name}</bdi> <b class="num">{nf(r.meta.result.payoffs[s.pid])}</b>{was(r.meta.players[i])}</span>)}</div>
        {r.proven && hasOdds(r.meta.game) && <Segments items={[['usual', t('chart.chips.tab')], ['chance', t('chart.chance.tab')]]} at={chart} label={t('chart.what')} onPick={plot} />}
        {r.game.chart && <AsTable head={['#', ...r.seats.map((s) => s.name)]} rows={points.map(([at, v]) => [String(at + 1), ...v.map((x) => Math.round(x))])} />}</div></div>
      <aside class="panel side" aria-label={t('log.title')}><Tabs label={t('log.title')} at={tab} onPick={pick} items={[
        { id: 'events', name: t('log.title'), body: <Log lines={shown} table={table} now={r.events[step].seq} onPick={(seq) => to(r.at(seq))} /> },
        { id: 'hands', name: t('replay.parts'), body: <ul class="parts">{heads.map((h) => <li key={h.seq}><button type="button" class="btn bare" onClick={() => to(r.at(h.seq))}><Say s={h.say} table={table} /></button></li>)}</ul> },
        ...(r.meta.id === 'local' ? [] : [{ id: 'decisions', name: t('decisions.title'), body: <Reports id={r.meta.id} table={table} seq={r.events[step].seq} /> }]),
        ...((r.meta.id !== 'local' || r.analysis) && r.proven ? [{ id: 'why', name: t('why.title'), body: <Why r={r} step={step} onMarks={setCosts} /> }] : []),
        { id: 'proof', name: t('proof.title'), body: <Proof r={r} /> }]} /></aside></div>
  </>;
}
