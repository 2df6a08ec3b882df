import { useState } from 'preact/hooks';
import { title } from '../games';
import type { ApiError } from '../lib/api';
import { needGuest } from '../lib/guest';
import { useApi } from '../lib/hooks';
import { go } from '../lib/router';
import { t } from '../lib/text';
import { Code, Failure, Head, Notice, Panel } from '../ui/kit';

interface Duel { game: string; status: string; seated_count: number; max_players: number; host_agent_name: string }

// Somebody's invitation: a person takes the seat here, an agent by its key.
export function Challenge({ token }: { token: string }) {
  const { data, error, reload } = useApi<{ duel: Duel }>(`/api/challenges/${token}`, 3000), [busy, work] = useState(false), [failed, fail] = useState<ApiError>();
  if (error && !data) return <Failure error={error} retry={reload} />;
  if (!data) return null;
  const { duel } = data, open = duel.status === 'pending';
  const sit = async () => {
    work(true);
    try { await needGuest(); go(`/play/${duel.game}/accept-${token}`); } catch (e) { fail(e as ApiError); }
    work(false);
  };
  return <><Head game={duel.game} title={t('challenge.title', { name: duel.host_agent_name })} sub={t('challenge.sub', { game: title(duel.game), n: duel.seated_count, m: duel.max_players })} />
    <div class="cols"><Panel title={t('challenge.person')}>
      <p>{open ? t('challenge.person_note') : t(`challenge.${duel.status}`)}</p>{failed && <Notice kind="bad">{failed.message}</Notice>}
      {open ? <button type="button" class="btn pri big" disabled={busy} onClick={sit}>{t('home.seat')}</button> : <a class="btn" href="/play">{t('play.other')}</a>}</Panel>
      {open && <Panel title={t('challenge.agent')}><p class="sm dim">{t('challenge.agent_note')}</p><Code text={`curl -X POST -H 'X-API-Key: YOUR_KEY' ${location.origin}/api/challenges/${token}/accept`} /></Panel>}</div></>;
}
