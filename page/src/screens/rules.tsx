import { useEffect, useState } from 'preact/hooks';
import { title } from '../games';
import { call } from '../lib/api';
import { useTitle } from '../lib/hooks';
import { has, lang, t } from '../lib/text';
import { Drawer, Head, IconButton, Panel } from '../ui/kit';
import '../styles/prose.css';

// What stands in backticks is a member of a message.
const Prose = ({ text }: { text: string }) => <>{text.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;

export interface RulesText { name: string; summary: string; phases: string[]; available_actions: Record<string, string>; key_rules: string[] }

// A game that the texts of the page do not know, as the server tells it.
const told = (game: string): Promise<RulesText | null> => call<{ rules: RulesText }>(`/api/games/${game}/rules`).then((m) => m.rules, () => null);

// `own`: as the server told them at the start of the match, with the numbers in force, in English.
export function Rules({ game, own }: { game: string; own?: RulesText }) {
  const french = lang() === 'fr', [rules, set] = useState<RulesText | null | undefined>(french ? undefined : own);
  useEffect(() => { if (french || !own) void (french ? import('../texts/fr-rules.json') : import('../texts/rules.json')).then(async (m) => set((m.default as unknown as Record<string, RulesText>)[game] ?? (await told(game)))); }, [game, own, french]);
  if (rules === undefined) return null;
  if (!rules) return <p>{t('rules.none')}</p>;
  const word = (k: string) => (has(`act.${k}`) ? t(`act.${k}`) : has(`word.${k}`) ? t(`word.${k}`) : k.replace(/_/g, ' '));
  return <div class="prose">
    <p><Prose text={rules.summary} /></p>
    <h3>{t('rules.course')}</h3><ol>{rules.phases.map((p) => <li key={p}><Prose text={p.replace(/^[a-z]+(_[a-z]+)+/, word)} /></li>)}</ol>
    <h3>{t('rules.moves')}</h3><dl>{Object.entries(rules.available_actions).map(([k, v]) => <div key={k}><dt>{word(k)}</dt><dd><Prose text={v} /></dd></div>)}</dl>
    <h3>{t('rules.key')}</h3><ul>{rules.key_rules.map((p) => <li key={p}><Prose text={p} /></li>)}</ul>
  </div>;
}

export function RulesButton({ game, own }: { game: string; own?: RulesText }) {
  const [open, set] = useState(false);
  return <><IconButton name="help" label={t('rules.title')} wide onClick={() => set(true)} /><Drawer title={t('rules.of', { game: title(game) })} open={open} onClose={() => set(false)}><Rules game={game} own={own} /></Drawer></>;
}

export function RulesScreen({ game }: { game: string }) {
  useTitle(t('rules.of', { game: title(game) }));
  return <><Head game={game} title={t('rules.of', { game: title(game) })} sub={t('rules.sub')}><a class="btn pri" href={`/play/${game}`}>{t('home.seat')}</a></Head><Panel><Rules game={game} /></Panel></>;
}
