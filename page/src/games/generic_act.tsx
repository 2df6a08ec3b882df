import { useKeys } from '../lib/hooks';
import { plain } from './generic';
import type { ActProps } from './types';

export function GenericAct({ request, send, disabled }: ActProps) {
  useKeys((e) => { const a = request.legal[Number(e.key) - 1]; if (!a || disabled) return false; send(a); return true; });
  return <div class="acts">{request.legal.map((a, i) => <button type="button" key={i} class="act" disabled={disabled} onClick={() => send(a)}><span class="two">{i + 1}</span><span><b>{a.type.replace(/_/g, ' ')}</b>{a.data && <small>{plain(a.data)}</small>}</span><kbd>{i + 1}</kbd></button>)}</div>;
}
