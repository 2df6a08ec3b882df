import { t } from '../lib/text';
import { ALPHA, ROLE } from './shapes';

export function RoleIcon({ r }: { r: string }) {
  return <svg class={`role-i r-${r}`} viewBox="0 0 48 48" aria-hidden="true"><path class="em" d={ROLE[r]} /></svg>;
}

// A hidden one without `r`; `out`: revealed.
export function Role({ r, out, named }: { r?: string | null; out?: boolean; named?: boolean }) {
  const label = named ? { role: 'img', 'aria-label': r ? (out ? t('role.revealed', { role: t(`role.${r}`) }) : t(`role.${r}`)) : t('role.hidden') } as const : { 'aria-hidden': 'true' } as const;
  if (!r) return <svg class="role back" viewBox="0 0 72 100" {...label}><rect class="cf" x="1" y="1" width="70" height="98" rx="8" /><rect class="cb" x="6" y="6" width="60" height="88" rx="4.5" /><path class="cm" transform="translate(24 38)" d={ALPHA} /></svg>;
  const name = t(`role.${r}`);
  return <svg class={`role r-${r} ${out ? 'out' : ''}`} viewBox="0 0 72 100" {...label}>
    <rect class="cf" x="1" y="1" width="70" height="98" rx="8" /><path class="rb" d="M1 9a8 8 0 0 1 8-8h54a8 8 0 0 1 8 8v62H1z" />
    <path class="em" transform="translate(15 14.5) scale(.875)" d={ROLE[r]} />
    <text class="rn" x="36" y="89" text-anchor="middle" {...(name.length > 8 ? { textLength: '62', lengthAdjust: 'spacingAndGlyphs' } : {})}>{name}</text>
  </svg>;
}
