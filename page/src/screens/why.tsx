// Why a finished match was lost (docs/analysis.md): the server weighs every decision when this is first asked for.
import { useEffect, useState } from 'preact/hooks';
import { moveOf } from '../games/acts';
import { pid } from '../games/types';
import { useApi } from '../lib/hooks';
import type { Recording } from '../lib/replay';
import { clean, fixed, lang, percent, t } from '../lib/text';
import { doubtOf, PARTS, worstOf, type Analysis, type Decision } from '../rules/analysis';
import { Failure } from '../ui/kit';
import '../styles/why.css';

const AROUND = 20; // decisions before and after the one at this step

export function Why({ r, step, onMarks }: { r: Recording; step: number; onMarks: (steps: number[]) => void }) {
  const [every, poll] = useState(1000), { data, error } = useApi<{ done: number; all: number; analysis?: Analysis }>(r.analysis ? null : `/api/replays/${r.meta.id}/analysis`, every), a = r.analysis ?? data?.analysis;
  const { stepOf, move } = r.proven!, at = (d: Decision) => { const i = stepOf.findIndex((s) => s >= d.step); return i < 0 ? r.steps - 1 : i; };
  useEffect(() => {
    poll(a || error ? 0 : 1000);
    if (a) onMarks(a.decisions.filter((d) => d.mistake).map(at));
  }, [a, error]);
  if (error) return <Failure error={error} part retry={() => poll(1000)} />;
  if (!a) return <p class="dim"><label>{t('why.wait')} <progress value={data?.done} max={data?.all || 1} /></label></p>;
  const amount = (x: number) => (a.unit === 'winning chance' ? percent(x, 1) : `${fixed(x, 2)} ${t(`why.in.${a.unit}`)}`);
  const about = (x: number | null, e?: number | null) => (x === null ? '' : e ? `${amount(x)} ± ${amount(e)}` : amount(x));
  const named = (words: string) => words.replace(/seat_(\d)/g, (_, n) => clean(r.seats[n].name)); // the server's sentences have no names
  const told = (d: Decision, of: 'played' | 'house') => { const { action, state } = move(d.step - 1, d.seat, d[of]); return moveOf(r.meta.game)(action, { game: r.meta.game, seats: r.seats, state, me: pid(d.seat), said: {} }); };
  const row = (d: Decision, words?: string) => {
    const i = at(d), played = told(d, 'played'), house = told(d, 'house');
    return <li key={d.step} aria-current={i === step ? 'step' : undefined}><div><a class="link" href={`#${r.events[i].seq}`}><bdi>{clean(r.seats[d.seat].name)}</bdi> · {played}</a>
      <p class="sm">{house === played ? t('why.same') : t('why.house', { move: house })}</p><p class={`sm ${d.mistake ? 'bad' : 'dim'}`}>{t(`why.${doubtOf(d, a.floor).replace('small', 'nothing')}`, { x: about(d.loss, d.exact ? 0 : d.error) })}</p>{words && lang() === 'en' && <p class="xs dim">{named(words)}</p>}</div></li>;
  };
  const now = a.decisions.filter((d) => at(d) <= step).length;
  return <div class="why"><p class="sm dim">{t('why.intro', { bot: `house:${a.reference}` })}</p>
    {r.seats.map((s, i) => <section key={s.pid}><h3><bdi>{clean(s.name)}</bdi></h3><table><tbody>{(['result', ...PARTS] as const).map((p) => <tr key={p}><th scope="row">{t(`why.${p}`)}</th><td class="n">{about(a.seats[i][p], p === 'result' ? 0 : a.seats[i][`${p}_error`])}</td></tr>)}</tbody></table>
      <ol class="decisions">{worstOf(a, i).map((d) => row(d, d.words))}</ol></section>)}
    <h3>{t('decisions.title')}</h3><ol class="decisions">{a.decisions.slice(Math.max(0, now - AROUND), now + AROUND).map((d) => row(d))}</ol></div>;
}
