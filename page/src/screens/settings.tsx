import { useState } from 'preact/hooks';
import { NAV } from '../app';
import { KEYS } from '../games/known';
import { deleteGuest, guest } from '../lib/guest';
import { choose, setCookie, settings, type Choice } from '../lib/settings';
import { useSignal } from '../lib/signal';
import { lang, setLanguage, t } from '../lib/text';
import { Drawer, Notice, Segments } from '../ui/kit';

export interface SettingsProps { open: boolean; onClose: () => void; onLanguage: () => void }

export function Settings({ open, onClose, onLanguage }: SettingsProps) {
  const s = useSignal(settings), me = useSignal(guest), [failed, fail] = useState('');
  const forget = () => { if (confirm(t('set.forget_sure'))) deleteGuest().then(() => fail(''), (e) => fail(e.message)); };
  const row = (name: Choice, items: [string, string][]) => <div class="setting"><span>{t(`set.${name}`)}</span><Segments items={items} at={s[name]} label={t(`set.${name}`)} onPick={(v) => choose(name, v)} /></div>;
  const onOff: [string, string][] = [['on', t('on')], ['off', t('off')]];
  return <Drawer title={t('set.title')} open={open} onClose={onClose}>
    <nav class="more phone-only" aria-label={t('nav.more')}>{NAV.slice(3).map(([id, href, name]) => <a key={id} class="btn" href={href} onClick={onClose}>{t(name)}</a>)}</nav>
    <div class="setting"><span>{t('set.language')}</span><Segments items={[['en', 'English'], ['fr', 'Français']]} at={lang()} label={t('set.language')} onPick={(v) => { setCookie('lang', v); void setLanguage(v).then(onLanguage); }} /></div>
    {row('suits', [['four', t('set.four')], ['two', t('set.two')]])}{row('letters', onOff)}{row('chances', onOff)}{row('keys', onOff)}
    {me && <div class="setting"><span>{t('set.guest', { name: me.name })}</span><button type="button" class="btn" onClick={forget}>{t('set.forget')}</button></div>}{failed && <Notice kind="bad">{failed}</Notice>}
    <h3>{t('keys.title')}</h3>
    <dl class="keys">{['help', 'home', 'play', 'board', 'theme', 'watch', 'replay', ...KEYS].map((k) => <div key={k}><dt>{t(`keys.${k}.name`)}</dt><dd>{t(`keys.${k}`)}</dd></div>)}</dl>
    <p class="sm dim">agon {document.body.dataset.version} · <a class="link" href="/operator" onClick={onClose}>{t('nav.operator')}</a> · <a class="link" href="/api/openapi.json">OpenAPI</a></p>
  </Drawer>;
}
