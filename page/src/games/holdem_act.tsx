import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../lib/hooks';
import { fixed, nf, t } from '../lib/text';
import { index, type Action, type ActProps, type Table } from './types';

export function holdemMove({ type, data }: Action, { state: s, me }: Table): string {
  const own = s.players[index(me!)], n = type === 'allin' ? own.chips + own.bet : type === 'call' ? Math.min(data?.amount ?? s.current_bet - own.bet, own.chips) : data?.amount;
  return t(`holdem.do.${type === 'raise' && !s.current_bet ? 'bet' : type}`, { n });
}

export function HoldemAct({ table, request, send, disabled }: ActProps) {
  const { state: s } = table, find = (type: string) => request.legal.find((a) => a.type === type);
  const fold = find('fold'), check = find('check'), call = find('call'), raise = find('raise'), allin = find('allin');
  const me = s.players[index(table.me!)], min = raise?.data.min ?? 0, max = raise?.data.max ?? 0;
  const [amount, set] = useState(min), [sure, ask] = useState(false), field = useRef<HTMLInputElement>(null);
  useEffect(() => { set(min); ask(false); }, [request.id, min, max]);
  const fit = (n: number) => Math.max(min, Math.min(max, Math.round(n)));
  const change = (n: number) => { set(fit(n)); ask(false); };
  const cost = call ? Math.min(call.data.amount, me.chips) : 0, pot = s.pot + cost;
  const potTo = (share: number) => fit(s.current_bet + pot * share);
  const steps: [string, number][] = raise ? [[t('holdem.step.min'), min], ['½', potTo(.5)], ['⅔', potTo(2 / 3)], [t('holdem.step.pot'), potTo(1)], [t('holdem.step.all'), max]] : [];
  const doRaise = () => {
    if (!raise) return;
    if (!sure && amount - me.bet > me.chips / 2) { ask(true); return; } // more than half the stack asks once
    send(amount >= max && allin ? { type: 'allin' } : { type: 'raise', data: { amount } });
  };
  const doAllin = () => { if (!allin) return; if (!sure) { if (raise) set(max); ask(true); return; } send({ type: 'allin' }); };
  useKeys((e) => {
    if (disabled) return false;
    const big = s.big_blind * (e.shiftKey ? 10 : 1);
    switch (e.key) {
      case 'f': if (fold) send({ type: 'fold' }); return true;
      case 'c': if (check) send({ type: 'check' }); else if (call) send(call.data ? { type: 'call', data: { amount: call.data.amount } } : { type: 'call' }); return true;
      case 'r': field.current?.focus(); field.current?.select(); return true;
      case 'ArrowUp': change(amount + big); return true;
      case 'ArrowDown': change(amount - big); return true;
      case 'p': change(potTo(1)); return true;
      case 'a': if (raise) change(max); else doAllin(); return true;
      case 'Enter': if ((e.target as HTMLElement).tagName === 'BUTTON') return false; if (raise) doRaise(); return true;
      default: return false;
    }
  });
  return <div class="holdem-act">
    {raise && <div class="raise">
      <input type="range" min={min} max={max} step={Math.max(1, s.big_blind / 4)} value={amount} disabled={disabled} aria-label={t('holdem.raise_to')} aria-valuetext={nf(amount)} onInput={(e) => change(Number(e.currentTarget.value))} />
      <div class="steps">{steps.map(([name, n]) => <button type="button" key={name} class="btn" disabled={disabled} aria-label={t('holdem.step.label', { name, n })} onClick={() => change(n)}>{name}</button>)}
        <input ref={field} class="amount num" inputMode="numeric" value={amount} disabled={disabled} aria-label={t('holdem.raise_to')} onChange={(e) => change(Number(e.currentTarget.value.replace(/\D/g, '')) || min)}
          onKeyDown={(e) => { if (e.key === 'Enter') { e.preventDefault(); change(Number(e.currentTarget.value.replace(/\D/g, '')) || min); e.currentTarget.blur(); } }} /></div>
    </div>}
    <div class="go3">
      {fold && <button type="button" class="btn" disabled={disabled} onClick={() => send({ type: 'fold' })}>{t('holdem.do.fold')} <kbd>F</kbd></button>}
      {check && <button type="button" class="btn" disabled={disabled} onClick={() => send({ type: 'check' })}>{t('holdem.do.check')} <kbd>C</kbd></button>}
      {call && <button type="button" class="btn" disabled={disabled} onClick={() => send({ type: 'call', data: { amount: call.data.amount } })}><span>{t('holdem.do.call', { n: cost })}<small>{t('holdem.price', { odds: fixed(s.pot / Math.max(1, cost), 1), share: Math.round(100 * cost / (s.pot + cost)) })}</small></span> <kbd>C</kbd></button>}
      {raise && <button type="button" class={`btn pri ${sure ? 'sure' : ''}`} disabled={disabled} onClick={doRaise}><span>{sure ? t('holdem.do.sure', { n: amount }) : s.current_bet ? t('holdem.do.raise', { n: amount }) : t('holdem.do.bet', { n: amount })}<small>{t('holdem.left', { n: me.chips + me.bet - amount })}</small></span> <kbd>↵</kbd></button>}
      {!raise && allin && <button type="button" class="btn pri" disabled={disabled} onClick={doAllin}>{sure ? t('holdem.do.sure', { n: me.chips + me.bet }) : t('holdem.do.allin', { n: me.chips + me.bet })} <kbd>A</kbd></button>}
    </div>
  </div>;
}
