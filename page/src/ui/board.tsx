// A table of any game, told in one sentence to those who cannot see it.
import { gameOf, type Action, type Request, type Table } from '../games';

export function Board({ table, mini, request, send, dim, verdict }: { table: Table; mini?: boolean; request?: Request; send?: (a: Action) => void; dim?: boolean; verdict?: string }) {
  const game = gameOf(table.game), View = game.Board;
  if (mini) return <div class="bd" aria-hidden="true"><View table={table} mini /></div>;
  // Where the visitor has cards of his own, they are buttons: then the board is a group, not a picture.
  return <div class={`table ${dim ? 'lost' : ''}`} role={table.me ? 'group' : 'img'} aria-label={game.tell(table)} id="table"><View table={table} request={request} send={send} />{verdict && <b class="verdict" aria-hidden="true">{verdict}</b>}</div>;
}
