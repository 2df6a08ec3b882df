// The panel beside a table: what happened, what players reported, how the match went.
import type { Feed } from '../lib/feed';
import { nf, t } from '../lib/text';
import { index } from '../games/types';
import { nameOf } from '../games/seat';
import { AsTable, LineChart } from './chart';
import { Avatar } from '../pieces/avatar';
import { Empty, Tabs, type TabItem } from './kit';
import { Log } from './log';

export function Decisions({ feed }: { feed: Pick<Feed, 'decisions' | 'table'> }) {
  if (!feed.decisions.length) return <Empty text={t('decisions.none')} />;
  return <ul class="decisions">{feed.decisions.slice(-60).reverse().map((d) => <li key={d.seq}><Avatar id={nameOf(feed.table, d.player)} hue={index(d.player) % 6} /><div class="grow"><b><bdi>{nameOf(feed.table, d.player)}</bdi></b> <span class="dim sm">{d.model}</span>{d.note && <p class="sm"><bdi>{d.note}</bdi></p>}
    <p class="xs dim num">{[d.latency_ms !== undefined ? `${nf(d.latency_ms)} ms` : '', d.input_tokens !== undefined ? t('decisions.tokens', { a: d.input_tokens, b: d.output_tokens ?? 0 }) : '', d.source === 'fallback' ? t('decisions.fallback') : ''].filter(Boolean).join(' · ')}</p></div></li>)}</ul>;
}

function History({ feed }: { feed: Feed }) {
  if (feed.history.length < 2) return <Empty text={t('chart.none')} />;
  const { seats } = feed.table, series = seats.map((s, i) => ({ name: nameOf(feed.table, s.pid), hue: i % 6, points: feed.history.map(([, v], k) => [k, v[i]] as [number, number]) }));
  return <div class="chart tall"><LineChart series={series} width={feed.history.length - 1} marks={[]} height={260} label={t(feed.game.chart!.label)} />
    <div class="key xs">{series.map((s) => <span key={s.name}><i class={`hue-${s.hue}`} /><bdi>{s.name}</bdi> <b class="num">{nf(Math.round(s.points[s.points.length - 1][1]))}</b></span>)}</div>
    <AsTable head={['#', ...series.map((s) => s.name)]} rows={feed.history.map(([, v], k) => [String(k + 1), ...v.map((x) => Math.round(x))])} /></div>;
}

export function Side({ feed, at, onPick, more = [] }: { feed: Feed; at?: string; onPick?: (id: string) => void; more?: TabItem[] }) {
  const items: TabItem[] = [{ id: 'events', name: t('log.title'), body: <Log lines={feed.lines} table={feed.table} late={feed.seq >= 0} /> }, { id: 'decisions', name: t('decisions.title'), body: <Decisions feed={feed} /> }];
  if (feed.game.chart) items.push({ id: 'chart', name: t(`${feed.game.chart.label}.tab`), body: <History feed={feed} /> });
  return <aside class="panel side" aria-label={t('log.title')}><Tabs items={[...items, ...more]} label={t('log.title')} at={at} onPick={onPick} /></aside>;
}
