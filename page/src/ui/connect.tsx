import { useState } from 'preact/hooks';
import { GAMES, title } from '../games';
import { useApi } from '../lib/hooks';
import { t } from '../lib/text';
import { Code, Panel, Tabs } from './kit';

// How to connect an agent to this very server, by kind of reader: commands that can be pasted as they are.
export function Connect({ whole }: { whole?: boolean }) {
  const games = useApi<{ games: { name: string }[] }>('/api/games').data?.games.map((g) => g.name) ?? [GAMES[1]];
  const [game, pick] = useState(GAMES[1]), { base = location.origin, ws = '' } = document.body.dataset, at = games.includes(game) ? game : games[0];
  const host = new URL(base).hostname;
  const json = (o: unknown) => JSON.stringify(o);
  const items = [
    { id: 'house', name: t('connect.house'), body: <><Code text={`agon agent --server ${base} --game ${at} --bot rules`} /><p class="sm dim">{t('connect.house.note')}</p></> },
    { id: 'own', name: t('connect.own'), body: <><Code text={`agon agent --server ${base} --game ${at} --bot 'cmd:python3 mine.py'`} /><p class="sm dim">{t('connect.own.note')}</p></> },
    { id: 'client', name: t('connect.client'), body: <><Code text={base} /><p class="sm dim">{t('connect.client.note')}</p></> },
    { id: 'mcp', name: 'MCP', body: <><Code text={`${base}/mcp`} /><p class="sm dim">{t('connect.mcp.note')}</p><Code text={json({ mcpServers: { agon: { type: 'http', url: `${base}/mcp` } } })} /></> },
    { id: 'hand', name: t('connect.hand'), body: <><Code text={`curl -d '{"name":"my agent"}' -H 'Content-Type: application/json' ${base}/api/agents/register`} /><Code text={`websocat -H 'X-API-Key: KEY' -H 'X-AIFight-Protocol-Version: v1.2.0' ${ws}/api/ws`} /><Code text={json({ type: 'join_queue', data: { game: at } })} /><p class="sm dim">{t('connect.hand.note')}</p></> },
    { id: 'tetris', name: 'Tetris', body: <><Code text={`agon tetris-ai --connect ${host}:7777`} /><p class="sm dim">{t('connect.tetris.note', { url: `${ws}/api/tetris/ws` })}</p></> },
  ];
  return <Panel cls="connect" id="connect" title={whole ? undefined : t('connect.title')} extra={<label class="sm dim row">{t('connect.game')} <select value={at} onChange={(e) => pick(e.currentTarget.value)}>{games.map((g) => <option key={g} value={g}>{title(g)}</option>)}</select></label>}>
    {whole && <label class="sm dim row connect-game">{t('connect.game')} <select value={at} onChange={(e) => pick(e.currentTarget.value)}>{games.map((g) => <option key={g} value={g}>{title(g)}</option>)}</select></label>}
    <Tabs items={items} label={t('connect.title')} at={undefined} /></Panel>;
}
