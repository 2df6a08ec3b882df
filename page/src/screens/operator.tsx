// The operator's page. The token stays in this tab (sessionStorage) and goes to this server alone, in a header.
import { useEffect, useRef, useState } from 'preact/hooks';
import { GAMES, SEATS, title } from '../games';
import { GameIcon } from '../games/pictures';
import { ApiError, call } from '../lib/api';
import { useApi, useTitle } from '../lib/hooks';
import { date, nf, t } from '../lib/text';
import { Code, Empty, Failure, Head, Names, Notice, Panel, Tabs } from '../ui/kit';
import '../styles/people.css';
import '../styles/operator.css';

type Run = (what: string, path: string, method?: string, body?: unknown) => Promise<any>;

function SignIn({ onToken, wrong }: { onToken: (token: string) => void; wrong?: string }) {
  const [token, set] = useState(''), field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [wrong]);
  return <Panel title={t('op.sign_in')} cls="narrow"><form onSubmit={(e) => { e.preventDefault(); onToken(token.trim()); }}><label class="field-row">{t('op.token')}<input type="password" autocomplete="off" value={token} ref={field} onInput={(e) => set(e.currentTarget.value)} /></label>
    {wrong && <Notice kind="bad">{wrong}</Notice>}<button class="btn pri" disabled={!token.trim()}>{t('op.enter')}</button><p class="sm dim">{t('op.note')}</p></form></Panel>;
}

// Figures of /metrics over time, as small charts.
function useMetrics(token: string): Record<string, number[]> {
  const [rows, set] = useState<Record<string, number[]>>({});
  useEffect(() => {
    const ask = async () => {
      if (document.hidden) return;
      const text = await call<string>('/metrics', { admin: token }).catch(() => '');
      const now: Record<string, number> = {};
      for (const line of text.split('\n')) { const m = /^(\w+)(?:\{\})? ([\d.e+-]+)$/i.exec(line); if (m) now[m[1]] = Number(m[2]); }
      set((was) => Object.fromEntries(Object.entries(now).map(([k, v]) => [k, [...(was[k] ?? []), v].slice(-60)])));
    };
    void ask();
    const timer = setInterval(ask, 5000);
    return () => clearInterval(timer);
  }, [token]);
  return rows;
}
function Spark({ name, values }: { name: string; values: number[] }) {
  const low = Math.min(...values), high = Math.max(...values), y = (v: number) => (40 - (high === low ? 20 : (v - low) / (high - low) * 36 + 2)).toFixed(1);
  return <div class="metric"><div class="row"><code class="grow xs clip" title={name}>{name.replace(/^agon_/, '')}</code><b class="num sm">{nf(values[values.length - 1])}</b></div><svg viewBox="0 0 160 40" preserveAspectRatio="none" aria-hidden="true"><path class="ln acc" d={(values.length > 1 ? values : [...values, ...values]).map((v, i, a) => `${i ? 'L' : 'M'}${(i / (a.length - 1) * 160).toFixed(1)} ${y(v)}`).join('')} /></svg></div>;
}

// What the operator allows at most; 0: no limit.
const LIMITS = ['max_games_per_day', 'max_games_per_hour', 'cooldown_seconds', 'max_concurrent'] as const;
function Limits({ of, onSet }: { of: Record<string, number>; onSet: (body: unknown) => void }) {
  const set = (e: Event) => { e.preventDefault(); const form = new FormData(e.currentTarget as HTMLFormElement); onSet(Object.fromEntries(LIMITS.map((k) => [k, Number(form.get(k))]).filter(([k, v]) => v || k !== 'max_concurrent'))); };
  return <form class="row wrap" onSubmit={set}>{LIMITS.map((k) => <label key={k} class="xs dim">{t(`op.limit.${k}`)} <input name={k} type="number" min={0} max={10000} size={6} defaultValue={String(of[k])} /></label>)}<button class="btn">{t('op.set')}</button></form>;
}

function Agents({ token, run }: { token: string; run: Run }) {
  const [from, page] = useState(0), [find, search] = useState(''), [limited, limit] = useState(''), { data, reload } = useApi<{ agents: any[]; has_more: boolean; total: number }>(`/api/admin/agents?limit=50&from=${from}`, 0, token);
  const rows = data?.agents.filter((a) => !find || `${a.name} ${a.id} ${a.public_no_display} ${a.model}`.toLowerCase().includes(find.toLowerCase())).sort((a, b) => Number(a.kind === 'house') - Number(b.kind === 'house')) ?? [];
  const act = async (what: string, path: string, body?: unknown, method = 'POST') => { await run(what, path, method, body); reload(); };
  return <><div class="row wrap"><label class="field-row grow">{t('op.search')}<input value={find} onInput={(e) => search(e.currentTarget.value)} /></label></div>
    <div class="scroll"><table class="board"><thead><tr><th scope="col">{t('board.agent')}</th><th scope="col" class="wide-only">{t('op.kind')}</th><th scope="col">{t('op.state')}</th><th scope="col" class="wide-only">{t('op.since')}</th><th scope="col">{t('op.actions')}</th></tr></thead><tbody>{rows.map((a) => <tr key={a.id}><td><a class="link" href={`/agents/${a.id}`}><bdi>{a.name}</bdi></a><br /><span class="xs dim num">{a.public_no_display}</span></td><td class="wide-only">{t(`op.kind.${a.kind}`)}</td><td>{[a.online ? t('profile.online') : '', a.claimed ? '' : t('op.unclaimed'), a.disabled ? t('op.disabled') : ''].filter(Boolean).join(', ') || '–'}</td><td class="sm wide-only">{date(a.created_at)}</td>
      <td><div class="row wrap">{!a.claimed && <button type="button" class="btn" onClick={() => act(t('op.claim'), `/api/admin/agents/${a.id}/claim`)}>{t('op.claim')}</button>}{a.kind !== 'house' && <><button type="button" class="btn" onClick={() => act(t('op.disable'), `/api/admin/agents/${a.id}/disable`, { disabled: !a.disabled })}>{a.disabled ? t('op.enable') : t('op.disable')}</button><button type="button" class="btn" onClick={() => { if (confirm(t('op.ban_sure'))) void act(t('op.ban'), `/api/admin/agents/${a.id}/disable`, { disabled: true, owner: true }); }}>{t('op.ban')}</button><button type="button" class="btn" aria-expanded={limited === a.id} onClick={() => limit(limited === a.id ? '' : a.id)}>{t('op.limits')}</button><button type="button" class="btn" onClick={() => act(t('op.key'), `/api/admin/agents/${a.id}/key`)}>{t('op.key')}</button><button type="button" class="btn" onClick={() => act(t('op.pair'), `/api/admin/agents/${a.id}/pairing-code`, {})}>{t('op.pair')}</button></>}</div>{limited === a.id && <Limits of={a.limits} onSet={(body) => act(t('op.limits'), `/api/admin/agents/${a.id}/limits`, body, 'PATCH').then(() => limit(''))} />}</td></tr>)}</tbody></table></div>
    <div class="row pages"><button type="button" class="btn" disabled={!from} onClick={() => page(Math.max(0, from - 50))}>{t('page.before')}</button><span class="sm dim num">{data ? nf(data.total) : ''}</span><button type="button" class="btn" disabled={!data?.has_more} onClick={() => page(from + 50)}>{t('page.after')}</button></div></>;
}

function Matches({ token, run }: { token: string; run: Run }) {
  const { data, reload } = useApi<{ matches: any[] }>('/api/admin/matches', 5000, token);
  if (data && !data.matches.length) return <Empty text={t('op.no_matches')} />;
  return <div class="rec">{data?.matches.map((m) => <span key={m.id} class="line"><GameIcon game={m.game} /><span class="grow"><Names of={m.players.map((p: any) => p.agent_name)} /><br /><span class="dim sm">{title(m.game)} · {date(m.started_at)}</span></span><button type="button" class="btn" onClick={async () => { if (confirm(t('op.cancel_sure'))) { await run(t('op.cancel'), `/api/admin/matches/${m.id}/cancel`, 'POST'); reload(); } }}>{t('op.cancel')}</button></span>)}</div>;
}

function Tours({ run }: { run: Run }) {
  const { data, reload } = useApi<{ tournaments: any[] }>('/api/tournaments?limit=20', 5000), [game, pick] = useState(GAMES[1]), [format, shape] = useState('round_robin'), [entrants, enter] = useState('house:rules\nhouse:random'), [games, count] = useState('60'), [name, call] = useState(''), [minutes, open] = useState(''), [most, cap] = useState('16');
  const begin = async (e: Event) => { e.preventDefault(); await run(t('op.begin'), '/api/tournaments', 'POST', { title: name.trim() || undefined, game, format, entrants: entrants.split('\n').map((x) => x.trim()).filter(Boolean), ...(Number(minutes) ? { [format === 'swiss' ? 'rounds' : 'games_per_pair']: Number(games) || undefined, entry_seconds: 60 * Number(minutes), entry_max: Number(most) || undefined } : { games: Number(games) || undefined }) }); reload(); };
  return <><form class="grid-form" onSubmit={begin}><label class="field-row">{t('op.title')}<input maxLength={80} value={name} onInput={(e) => call(e.currentTarget.value)} /></label><label class="field-row">{t('connect.game')}<select value={game} onChange={(e) => pick(e.currentTarget.value)}>{Object.keys(SEATS).map((g) => <option key={g} value={g}>{title(g)}</option>)}</select></label>
    <label class="field-row">{t('op.format')}<select value={format} onChange={(e) => shape(e.currentTarget.value)}>{['round_robin', 'gauntlet', 'swiss'].map((f) => <option key={f} value={f}>{t(`tour.is.${f}`)}</option>)}</select></label>
    <label class="field-row">{t(minutes ? 'op.per_pair' : 'op.games')}<input inputMode="numeric" value={games} onInput={(e) => count(e.currentTarget.value)} /></label><label class="field-row">{t('op.entry')}<input inputMode="numeric" value={minutes} onInput={(e) => open(e.currentTarget.value)} /></label>{minutes && <label class="field-row">{t('op.entry_max')}<input inputMode="numeric" value={most} onInput={(e) => cap(e.currentTarget.value)} /></label>}<label class="field-row all">{t('op.entrants')}<textarea rows={4} value={entrants} onInput={(e) => enter(e.currentTarget.value)} /></label><button class="btn pri">{t('op.begin')}</button></form>
    <div class="rec">{data?.tournaments.map((x) => <span key={x.id} class="line"><a class="link grow" href={`/tournament/${x.id}`}><bdi>{x.title || t('tour.title', { game: title(x.game), format: t(`tour.is.${x.format}`) })}</bdi></a><span class="sm dim num">{x.status === 'open' ? t('tour.entrants', { n: x.entrants.length }) : `${x.games_done}/${x.games_total}`}</span>{x.status === 'open' && <button type="button" class="btn" onClick={async () => { await run(t('op.start'), `/api/tournaments/${x.id}/start`); reload(); }}>{t('op.start')}</button>}{['open', 'running'].includes(x.status) && <button type="button" class="btn" onClick={async () => { if (!confirm(t('op.end_sure'))) return; await run(t('op.end'), `/api/tournaments/${x.id}`, 'DELETE'); reload(); }}>{t('op.end')}</button>}</span>)}</div></>;
}

function Metrics({ token }: { token: string }) {
  const rows = useMetrics(token), names = Object.keys(rows).filter((k) => !/_(bucket|sum|count)$/.test(k)).sort();
  return names.length ? <div class="metrics">{names.map((k) => <Spark key={k} name={k} values={rows[k]} />)}</div> : <Empty text={t('op.no_metrics')} />;
}

export function Operator() {
  const [token, set] = useState(sessionStorage.getItem('admin') ?? ''), [told, tell] = useState<{ text: string; bad?: boolean; secret?: string }>();
  const { data, error, reload } = useApi<Record<string, any>>(token ? '/api/admin/stats' : null, 5000, token);
  useTitle(t('nav.operator'));
  useEffect(() => { const timer = told && !told.bad && !told.secret ? setTimeout(() => tell(undefined), 6000) : 0; return () => clearTimeout(timer); }, [told]);
  const enter = (value: string) => { sessionStorage.setItem('admin', value); set(value); };
  if (!token || (error && [401, 403].includes(error.status))) return <><Head title={t('nav.operator')} sub={t('op.sub')} /><SignIn onToken={enter} wrong={error?.message} /></>;
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const run: Run = async (what, path, method = 'POST', body) => {
    tell(undefined);
    try { const answer = await call<any>(path, { method, admin: token, body }); tell({ text: t('op.done', { what }), secret: answer?.api_key ?? answer?.pairing_code }); reload(); return answer; } catch (e) { tell({ text: `${what}: ${(e as ApiError).message}`, bad: true }); return undefined; }
  };
  const figures = ['agents_online', 'matches_active', 'queued', 'spectators', 'matches_finished', 'actions', 'fallbacks', 'strikes'];
  return <><Head title={t('nav.operator')} sub={`agon ${data.version} · ${data.draining ? t('health.draining') : t('health.ok')}${data.has_room ? '' : ` · ${t('health.low_space')}`}`}><button type="button" class="btn" onClick={() => run(data.draining ? t('op.resume') : t('op.drain'), '/api/admin/drain', data.draining ? 'DELETE' : 'POST')}>{data.draining ? t('op.resume') : t('op.drain')}</button><button type="button" class="btn" onClick={() => run(t('op.backup'), '/api/admin/backup')}>{t('op.backup')}</button><button type="button" class="btn bare" onClick={() => { sessionStorage.removeItem('admin'); set(''); }}>{t('op.leave')}</button></Head>
    {told && <div class="told"><Notice kind={told.bad ? 'bad' : 'info'} action={<button type="button" class="btn" onClick={() => tell(undefined)}>{t('close')}</button>}>{told.text}{told.secret && <Code text={told.secret} />}</Notice></div>}
    <div class="tiles eight">{figures.map((k) => <div key={k} class="panel"><span class="sm dim">{t(`op.fig.${k}`)}</span><b class="fig num">{nf(data[k])}</b></div>)}</div>
    <Panel><Tabs label={t('nav.operator')} items={[{ id: 'matches', name: t('op.matches'), body: <Matches token={token} run={run} /> }, { id: 'agents', name: t('op.agents'), body: <Agents token={token} run={run} /> }, { id: 'tours', name: t('nav.tournaments'), body: <Tours run={run} /> }, { id: 'metrics', name: t('op.metrics'), body: <Metrics token={token} /> }]} /></Panel></>;
}
