import type { LinkState } from '../lib/socket';
import { useNow } from '../lib/hooks';
import { t } from '../lib/text';
import { Notice } from './kit';

export function Connection({ state, again, playing }: { state: LinkState; again: () => void; playing?: boolean }) {
  const now = useNow(1000, state.kind === 'waiting');
  if (state.kind === 'waiting') return <Notice kind="warn" action={<button type="button" class="btn" onClick={again}>{t('link.now')}</button>}>{state.code === 1012 && playing ? t('link.restart') : t('link.lost', { n: Math.max(0, Math.ceil(((state.at ?? now) - now) / 1000)) })}</Notice>;
  if (state.kind === 'ended' && state.code === 4409) return <Notice kind="warn" action={<button type="button" class="btn" onClick={again}>{t('link.here')}</button>}>{t('link.other_tab')}</Notice>;
  return null;
}
