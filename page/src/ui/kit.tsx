// Small parts that every screen uses.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { GameIcon } from '../games/pictures';
import { numbered } from '../games/seat';
import { ApiError } from '../lib/api';
import { go } from '../lib/router';
import { clean, t } from '../lib/text';
import { Avatar } from '../pieces/avatar';
import { Icon, type IconName } from '../pieces/icons';

export function Panel({ title, extra, children, cls = '', id }: { title?: string; extra?: ComponentChildren; children: ComponentChildren; cls?: string; id?: string }) {
  const label = useId();
  return <section class={`panel ${cls}`} aria-labelledby={title ? label : undefined} id={id}>{title && <header><h2 id={label}>{title}</h2>{extra}</header>}{children}</section>;
}

export function Head({ game, title, sub, children }: { game?: string; title: string; sub?: ComponentChildren; children?: ComponentChildren }) {
  return <div class="head">{game && <GameIcon game={game} />}<div class="grow"><h1 class="clip">{title}</h1><p class="sm dim clip">{sub}</p></div><div class="row">{children}</div></div>;
}

export interface TabItem { id: string; name: string; body: ComponentChildren }
export function Tabs({ items, label, at, onPick }: { items: TabItem[]; label: string; at?: string; onPick?: (id: string) => void }) {
  const [own, set] = useState(items[0].id), base = useId(), now = items.some((i) => i.id === (at ?? own)) ? at ?? own : items[0].id;
  const pick = (id: string) => { set(id); onPick?.(id); };
  const move = (e: KeyboardEvent, by: number) => {
    const i = (items.findIndex((x) => x.id === now) + by + items.length) % items.length;
    e.preventDefault();
    pick(items[i].id);
    (e.currentTarget as HTMLElement).parentElement!.querySelectorAll<HTMLElement>('[role=tab]')[i].focus();
  };
  return <>
    <div class="tabs" role="tablist" aria-label={label}>{items.map((x) => <button type="button" key={x.id} role="tab" id={`${base}-${x.id}`} aria-selected={x.id === now} aria-controls={`${base}-body`} tabIndex={x.id === now ? 0 : -1}
      onClick={() => pick(x.id)} onKeyDown={(e) => { if (e.key === 'ArrowRight') move(e, 1); else if (e.key === 'ArrowLeft') move(e, -1); }}>{x.name}</button>)}</div>
    <div role="tabpanel" id={`${base}-body`} aria-labelledby={`${base}-${now}`} class="tabbody">{items.find((x) => x.id === now)?.body}</div>
  </>;
}

export function Segments<T extends string>({ items, at, label, onPick }: { items: [T, string][]; at: T; label: string; onPick: (v: T) => void }) {
  const move = (e: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const by = /(Right|Down)$/.test(e.key) ? 1 : -1, i = (items.findIndex(([v]) => v === at) + by + items.length) % items.length;
    if (!/^Arrow/.test(e.key)) return;
    e.preventDefault();
    onPick(items[i][0]);
    (e.currentTarget.children[i] as HTMLElement).focus();
  };
  return <div class="seg" role="radiogroup" aria-label={label} onKeyDown={move}>{items.map(([v, name]) => <button type="button" key={v} role="radio" aria-checked={v === at} tabIndex={v === at ? 0 : -1} onClick={() => onPick(v)}>{name}</button>)}</div>;
}

export function Code({ text }: { text: string }) {
  const [done, set] = useState(false);
  const copy = async () => { await copyText(text); set(true); setTimeout(() => set(false), 1500); };
  return <div class="code"><pre tabIndex={0}><code>{text}</code></pre><button type="button" class="btn" onClick={copy}><Icon name={done ? 'check' : 'copy'} /> {done ? t('copied') : t('copy')}</button></div>;
}
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => undefined);
  const area = document.createElement('textarea'); // plain HTTP: there is no clipboard but by selection
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
  return undefined;
}

export function Notice({ kind = 'info', children, action }: { kind?: 'info' | 'warn' | 'bad'; children: ComponentChildren; action?: ComponentChildren }) {
  return <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}><Icon name={kind === 'info' ? 'clock' : 'warn'} /><span class="grow">{children}</span>{action}</div>;
}
// Instead of a screen, or of a part of it.
export function Failure({ error, retry, part }: { error: ApiError; retry?: () => void; part?: boolean }) {
  const H = part ? 'h2' : 'h1', [left, wait] = useState(error.retryAfter); // 429: counts down, then tries by itself
  useEffect(() => {
    const timer = left ? setTimeout(() => { wait(left - 1); if (left === 1) retry?.(); }, 1000) : 0;
    return () => clearTimeout(timer);
  }, [left]);
  useEffect(() => wait(error.retryAfter), [error]);
  return <div class="panel empty"><H>{error.status === 404 ? t('error.missing') : t('error.title')}</H><p class="dim">{left && error.status === 429 ? t('error.limited', { n: left }) : error.message}</p>
    <div class="row">{retry && <button type="button" class="btn pri" onClick={retry}>{t('error.retry')}</button>}<a class="btn" href="/">{t('nav.home')}</a></div></div>;
}
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return <div class="empty"><p class="dim">{text}</p>{children}</div>;
}

export function AgentLink({ id, name, hue }: { id?: string; name: string; hue?: number }) {
  const [, head, no] = numbered(clean(name));
  const inside = <><Avatar id={id ?? name} hue={hue} /><span class="nm" title={name}><bdi class="clip">{head}</bdi>{no}</span></>;
  return id ? <a class="row agent" href={`/agents/${id}`}>{inside}</a> : <span class="row agent">{inside}</span>;
}

// Each by itself, so that one that is written from the right moves no other.
export const Names = ({ of, won }: { of: string[]; won?: (i: number) => boolean }) => <>{of.map((name, i) => <span key={i}>{i ? ', ' : ''}<bdi class={won?.(i) ? 'strong' : ''}>{clean(name)}</bdi></span>)}</>;

export function IconButton({ name, label, onClick, pri, wide }: { name: IconName; label: string; onClick: () => void; pri?: boolean; wide?: boolean }) {
  return <button type="button" class={`btn ${pri ? 'pri' : 'bare'}`} aria-label={label} title={label} onClick={onClick}><Icon name={name} />{wide && <span class="wide-only">{label}</span>}</button>;
}

// A drawer from the side: rules, settings. Escape and the backdrop close it; the focus goes back to where it was.
export function Drawer({ title, open, onClose, children }: { title: string; open: boolean; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null), label = useId();
  useEffect(() => {
    const d = ref.current!;
    if (open && !d.open) d.showModal();
    if (!open && d.open) d.close();
  }, [open]);
  return <dialog class="drawer" ref={ref} aria-labelledby={label} onClose={onClose} onClick={(e) => { if (e.target === ref.current) onClose(); }}>
    <div class="drawer-in"><header><h2 id={label}>{title}</h2><button type="button" class="btn bare" aria-label={t('close')} onClick={onClose}><Icon name="cross" /></button></header>{open && children}</div>
  </dialog>;
}

export function Wdl({ w, d, l }: { w: number; d: number; l: number }) {
  const n = w + d + l || 1;
  return <span class="wdl" role="img" aria-label={t('wdl', { w, d, l })}>{[w, d, l].map((x, i) => <i key={i} style={{ flexGrow: x / n }} />)}</span>;
}

export function Share({ path }: { path?: string }) {
  const [done, set] = useState(false);
  return <button type="button" class="btn wide-only" onClick={() => { void copyText(location.origin + (path ?? location.pathname)); set(true); setTimeout(() => set(false), 1500); }}><Icon name={done ? 'check' : 'link'} /> {done ? t('copied') : t('share')}</button>;
}
export const home = (): void => go('/');
