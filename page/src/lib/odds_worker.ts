import { shares } from './odds';

onmessage = (e: MessageEvent<{ id: number; hands: string[][]; board: string[]; dead: string[] }>) => postMessage({ id: e.data.id, shares: shares(e.data.hands, e.data.board, e.data.dead) });
