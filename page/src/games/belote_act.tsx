import { useKeys } from '../lib/hooks';
import { t } from '../lib/text';
import { cardName, Suit } from '../pieces/cards';
import { mode, SUITS } from './belote';
import { nameOf } from './seat';
import type { Action, ActProps } from './types';

const KEYS: Record<string, string> = { ColourClubs: 'c', ColourDiamonds: 'd', ColourHearts: 'h', ColourSpades: 's', NoTrumps: 'n', AllTrumps: 'a' };

export const beloteMove = ({ type, data }: Action): string => (type === 'play_card' ? cardName(data.card) : type === 'announce' ? mode(data.mode) : t(`belote.do.${type}`, { mode: data?.mode && mode(data.mode) }));

export function BeloteAct({ table, request, send, disabled }: ActProps) {
  const { state: s } = table, cut = request.legal.find((a) => a.type === 'cut');
  const others = request.legal.filter((a) => a.type !== 'play_card' && a.type !== 'cut');
  const key = (a: Action): string => (a.type === 'announce' ? KEYS[a.data.mode].toUpperCase() : a.type === 'accept' ? '↵' : a.type.includes('double') ? 'X' : '');
  const doCut = (position: number) => send({ type: 'cut', data: { position, from_top: true } });
  useKeys((e) => {
    if (disabled) return false;
    if (cut && e.key === 'Enter') { doCut(cut.data.position); return true; }
    if (e.key === 'Enter' && (e.target as HTMLElement).tagName === 'BUTTON') return false;
    const a = others.find((x) => (x.type === 'announce' && KEYS[x.data.mode] === e.key) || (x.type === 'accept' && e.key === 'Enter') || (x.type.includes('double') && e.key === 'x'));
    if (a) { send(a); return true; }
    return false;
  });
  if (cut) return <div class="go2"><button type="button" class="btn pri" disabled={disabled} onClick={() => doCut(cut.data.position)}>{t('belote.do.cut')} <kbd>↵</kbd></button>
    <button type="button" class="btn" disabled={disabled} onClick={() => doCut(cut.data.min_position + Math.floor(Math.random() * (cut.data.max_position - cut.data.min_position + 1)))}>{t('belote.do.cut_anywhere')}</button></div>;
  if (!others.length) return null;
  return <div class="bids">{others.map((a, i) => <button type="button" key={i} class={`btn ${a.type === 'accept' ? 'pri' : ''}`} disabled={disabled} onClick={() => send(a)}>{a.type === 'announce' && SUITS[a.data.mode] && <Suit s={SUITS[a.data.mode]} />}{beloteMove(a)} {key(a) && <kbd>{key(a)}</kbd>}</button>)}
    <p class="sm dim">{s.current_bid ? t('belote.above', { mode: mode(s.current_bid.mode), name: nameOf(table, s.current_bid.seat) }) : t('belote.open_bid')}</p></div>;
}
