import { useKeys } from '../lib/hooks';
import { begin, plain, word } from './generic';
import type { Action, ActProps } from './types';

export const genericMove = (a: Action): string => (a.data ? `${word(a.type)}, ${plain(a.data)}` : word(a.type));

export function GenericAct({ request, send, disabled }: ActProps) {
  useKeys((e) => { const a = request.legal[Number(e.key) - 1]; if (!a || disabled) return false; send(a); return true; });
  return <div class="acts">{request.legal.map((a, i) => <button type="button" key={i} class="act" disabled={disabled} onClick={() => send(a)}><span class="two">{i + 1}</span><span><b>{begin(word(a.type))}</b>{a.data && <small>{plain(a.data)}</small>}</span><kbd>{i + 1}</kbd></button>)}</div>;
}
