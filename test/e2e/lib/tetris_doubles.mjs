// The lying doubles of `agon verify tetris`, by the assertion that each must fail. A row has the lie in words, its
// transformation (lib/doubles.mjs), and where needed `gates` (those to run; usually the assertion's own), `only` (a full
// run notices it elsewhere too), `slow` (seconds; not part of make test).
import { spawn } from './children.mjs';

const zeros = '0'.repeat(16);
const refusal = (m, code) => ({ type: 'error', seq: m.seq, ts: m.ts, code, message: 'a lie', ...(code === 'backpressure' && { retry_after_ms: 50 }), ...(code === 'controller_active' && { controller_id: 1 }) });
const acknowledgement = (m) => ({ type: 'ack', seq: m.seq, ts: m.ts, status: 'ok', correlation_seq: m.seq, applied_step: 1, state_hash: zeros });
const without = (m, ...keys) => Object.fromEntries(Object.entries(m).filter(([k]) => !keys.includes(k)));

const request = (m, link) => link.asked.get(m.seq) ?? {};
const acts = (action) => (r) => r.actions?.[0] === action;
const isLockstep = (link) => link.hello?.requested?.clock === 'lockstep';
const isSecond = (link) => link.hello?.protocol_version?.[0] === '2';
const role = (link) => link.hello?.requested?.role;
const isSimple = (link) => link.hello?.client?.name === 'acceptance';

// --- kinds of lies

const welcome = (change) => ({ down: (m, link) => (m.type === 'welcome' && isSecond(link) ? { ...m, ...change(m, link) } : m) });
const capability = (change) => welcome((m) => ({ capabilities: { ...m.capabilities, ...change(m.capabilities) } }));
const policy = (change) => capability((c) => ({ control_policy: { ...c.control_policy, ...change } }));
const third = (change) => ({ down: (m, link) => (m.type === 'welcome' && !isSecond(link) ? { ...m, ...change(m) } : m) });
// Observations of a game in real time; the lock-step gates compare every field with the reference.
const shown = (change) => ({ down: (m, link) => (m.type === 'observation' && !isLockstep(link) ? change(m, link) : m) });
const field = (change) => shown((m, link) => ({ ...m, ...change(m, link) }));
const active = (change) => field((m) => (m.active ? { active: { ...m.active, ...change } } : {}));
const stepped = (change) => ({ down: (m, link) => (m.type === 'observation' && isLockstep(link) ? change(m, link) : m) });
// Replies to the requests that are meant.
const reply = (type, meant, change) => ({ down: (m, link) => (m.type === type && meant(request(m, link), link, m) ? change(m, link) : m) });
const error = (meant, code) => reply('error', meant, (m) => ({ ...m, code }));
const refuse = (meant, code) => reply('ack', meant, (m) => refusal(m, code));
const accept = (meant) => reply('error', meant, acknowledgement);
const isClaim = (r) => r.type === 'control' && r.action === 'claim';
const isRelease = (r) => r.type === 'control' && r.action === 'release';
const hasReleased = (link) => [...link.asked.values()].some(isRelease);
const isRestart = acts('restart');
const pausesSeen = (link) => (link.now.paused ? (link.pauses = (link.pauses ?? 0) + 1) : (link.pauses = 0));
const oversSeen = (link) => (link.now.game_over ? (link.overs = (link.overs ?? 0) + 1) : (link.overs = 0));
const restartsOf = (link) => [...link.asked.values()].filter(isRestart);
const isFirstStep = (m) => m.piece_id === 1 && m.step_in_piece === 1 && m.episode_id > 0;
const isBurst = (link) => [...link.asked.values()].filter(acts('pause')).length >= 30;
const hasProvoked = (link) => link.refusedPlace === true;
const afterRefusedPlace = (change) => ({
  down: (m, link) => {
    if (m.code === 'invalid_place') link.refusedPlace = true;
    return isLockstep(link) && hasProvoked(link) ? change(m) : m;
  },
});
// Sequence numbers that the client has used before.
const old = (is) => ({
  up: (m, link) => void (m?.type === 'command' && (m.seq === link.top ? (link.same = m.seq) : m.seq < link.top ? (link.less = m.seq) : (link.top = m.seq))),
  down: is,
});
const perLink = (change) => shown((m, link) => change(m, link, (link.count = (link.count ?? 0) + 1)));

export const doubles = {
  'handshake.command': { lie: 'a command before hello gets invalid_command', ...error((r, link) => r.type === 'command' && !link.welcome, 'invalid_command') },
  'handshake.control': { lie: 'a control before hello gets invalid_command', ...error((r, link) => r.type === 'control' && !link.welcome, 'invalid_command') },

  'version.refused': { lie: 'a hello of another version gets invalid_command', ...error((r, link, m) => m.code === 'protocol_mismatch', 'invalid_command') },
  'version.closes': { lie: 'the connection stays open after protocol_mismatch', slow: true, down: (m, link) => ((link.keepOpen = link.hello?.protocol_version === '1.0.0'), m) },
  'version.accepted': { lie: 'a hello of 2.9.9 is refused', ...reply('welcome', (r) => r.protocol_version === '2.9.9', (m) => refusal(m, 'protocol_mismatch')) },

  'welcome.comes': { lie: 'a hello that asks for the stream is refused', ...reply('welcome', (r, link) => r.requested?.stream_observations && isSecond(link), (m) => refusal(m, 'invalid_command')) },
  'welcome.seq': { lie: 'welcome.seq is 2', ...welcome(() => ({ seq: 2 })) },
  'welcome.protocol_version': { lie: 'welcome speaks of version 9.9.9', quick: true, ...welcome(() => ({ protocol_version: '9.9.9' })) },
  'welcome.client_id': { lie: 'client_id is a string', ...welcome((m) => ({ client_id: String(m.client_id) })) },
  'welcome.client_id_unique': { lie: 'all observers have the same client_id', ...welcome((m) => (m.role === 'observer' ? { client_id: 4242 } : {})) },
  'welcome.role': { lie: 'an observer is called watcher', ...welcome((m) => (m.role === 'observer' ? { role: 'watcher' } : {})) },
  'welcome.controller_id': { lie: 'controller_id is a string', ...welcome((m) => ({ controller_id: String(m.controller_id) })) },
  'welcome.controller_true': { lie: 'controller_id names a controller where there is none', ...welcome((m) => (m.controller_id === null ? { controller_id: 5555 } : {})) },
  'welcome.game_id': { lie: 'game_id is empty', ...welcome(() => ({ game_id: '' })) },
  'welcome.formats': { lie: 'formats lacks json', ...capability(() => ({ formats: ['cbor'] })) },
  'welcome.command_modes': { lie: 'command_modes lacks place', quick: true, ...capability(() => ({ command_modes: ['action'] })) },
  'welcome.features': { lie: 'features is a string', ...capability(() => ({ features: 'all' })) },
  'features.listed': { lie: 'features_optional has a name that features lacks', ...capability((c) => ({ features_optional: [...c.features_optional, 'wings'] })) },
  'features.always': { lie: 'features_always names a field that never comes', quick: true, ...capability((c) => ({ features: [...c.features, 'wind'], features_always: [...c.features_always, 'wind'] })) },
  'policy.disconnect': { lie: 'auto_promote_on_disconnect is a string', quick: true, ...policy({ auto_promote_on_disconnect: 'yes' }) },
  'policy.order': { lie: 'promotion_order is a number', ...policy({ promotion_order: 3 }) },
  'policy.release': { lie: 'auto_promote_on_release is true', ...policy({ auto_promote_on_release: true }) },
  'welcome.extras': { lie: 'table is missing', down: (m, link) => (m.type === 'welcome' && isSecond(link) ? without(m, 'table') : m) },
  'welcome.size': { lie: 'welcome is padded by 3,000 bytes', ...welcome(() => ({ motd: 'x'.repeat(3000) })) },

  'snapshot.first': { lie: 'the first observation lacks level', ...shown((m, link) => (link.observations === 1 ? without(m, 'level') : m)) },

  'observation.stream': { lie: 'observations stop after the fourth', only: true, slow: true, ...perLink((m, link, n) => (n > 4 ? null : m)) },
  'observation.off': { lie: 'a client without stream gets an observation', down: (m, link) => (m.type === 'welcome' && !link.hello.requested.stream_observations && link.world.seen ? [m, { ...link.world.seen, seq: 1 }] : m) },
  'observation.fields': { lie: 'later observations lack level', ...shown((m, link) => (link.observations > 1 ? without(m, 'level') : m)) },
  'observation.seq': { lie: 'the seq of every observation is 1', quick: true, ...field(() => ({ seq: 1 })) },
  'observation.flags': { lie: 'can_hold is 1', ...field((m) => ({ can_hold: Number(m.can_hold) })) },
  'observation.numbers': { lie: 'score is a string', ...field((m) => ({ score: String(m.score) })) },
  'observation.active': { lie: 'active is missing while playable', ...shown((m) => without(m, 'active', 'ghost_y')) },
  'observation.episode': { lie: 'episode_id rises and falls again', only: true, ...perLink((m, link, n) => (n === 3 ? { ...m, episode_id: m.episode_id + 5 } : m)) },
  'observation.extras': { lie: 'controller_id is a string', ...field(() => ({ controller_id: 'me' })) },
  'observation.size': { lie: 'observations are padded by 4,000 bytes', ...field((m, link) => (link.observations > 1 ? { pad: 'x'.repeat(4000) } : {})) },

  'board.shape': { lie: 'width is 11', ...field((m) => ({ board: { ...m.board, width: 11 } })) },
  'board.cells': { lie: 'a cell holds 9 once a piece has locked', ...field((m) => (m.board_id ? { board: { ...m.board, cells: [...m.board.cells.slice(0, 19), [9, ...m.board.cells[19].slice(1)]] } } : {})) },
  'queue.five': { lie: 'next_queue has four kinds', ...field((m) => ({ next_queue: m.next_queue.slice(0, 4) })) },
  'queue.next': { lie: 'next is another kind', ...field((m) => ({ next: m.next === 't' ? 'o' : 't' })) },

  'message.json': { lie: 'a line of words comes before every ack', gates: 'A5', down: (m, link) => (m.type === 'ack' ? [{ raw: 'here comes\x01 an ack\n' }, m] : m) },
  'message.type': { lie: 'a message of type gossip comes before every ack', gates: 'A5', down: (m) => (m.type === 'ack' ? [{ type: 'gossip', seq: 0, ts: 0 }, m] : m) },
  'message.seq': { lie: 'the seq of an observation is a string', gates: 'A5', ...field((m) => ({ seq: String(m.seq) })) },
  'message.ts': { lie: 'the ts of an observation is a string', gates: 'A5', ...field((m) => ({ ts: String(m.ts) })) },
  'active.kind': { lie: 'kind is upper case', gates: 'A5', ...active({ kind: 'T' }) },
  'active.rotation': { lie: 'rotation is up', gates: 'A5', ...active({ rotation: 'up' }) },
  'active.x': { lie: 'x is -1', gates: 'A5', quick: true, ...active({ x: -1 }) },
  'active.y': { lie: 'y is -9', gates: 'A5', ...active({ y: -9 }) },
  'hold.kind': { lie: 'hold is x', gates: 'A5', ...field(() => ({ hold: 'x' })) },
  'ghost.y': { lie: 'ghost_y is above the piece', gates: 'A5', ...field((m) => (m.active ? { ghost_y: -5 } : {})) },
  'state_hash.text': { lie: 'state_hash is no hash', gates: 'A5', ...field(() => ({ state_hash: 'xyz' })) },
  'timers.shape': { lie: 'timers lacks lock_ms', gates: 'A5', ...field((m) => ({ timers: without(m.timers, 'lock_ms') })) },
  'last_event.shape': { lie: 'combo of last_event is a string', gates: 'A5', ...field((m) => (m.last_event ? { last_event: { ...m.last_event, combo: 'x' } } : {})) },
  'events.shape': { lie: 'events is an object', gates: 'A5', ...field(() => ({ events: {} })) },
  'ack.status': { lie: 'ack.status is queued', gates: 'A5', quick: true, ...reply('ack', () => true, (m) => ({ ...m, status: 'queued' })) },
  'ack.correlation_seq': { lie: 'correlation_seq is one more', gates: 'A5', ...reply('ack', () => true, (m) => ({ ...m, correlation_seq: m.seq + 1 })) },
  'ack.applied_step': { lie: 'the ack of a command lacks state_hash', gates: 'A5', ...reply('ack', (r, link) => !isLockstep(link), (m) => without(m, 'state_hash')) },
  'error.code': { lie: 'the code for an unknown type is oops', gates: 'A15', ...error((r) => r.type === 'dance', 'oops') },
  'error.message': { lie: 'an error has no message', gates: 'A15', ...reply('error', () => true, (m) => without(m, 'message')) },

  'observer.hello': { lie: 'a hello as observer is welcomed as controller', quick: true, ...welcome((m, link) => (role(link) === 'observer' ? { role: 'controller', controller_id: m.client_id } : {})) },
  'observer.promotion': { lie: 'an observer is in control when the controller has left', ...accept((r, link, m) => m.code === 'not_controller' && r.type === 'command' && role(link) === 'observer' && link.now?.controller_id === null) },

  'claim.self': { lie: 'a claim by the controller gets controller_active', ...refuse((r, link) => isClaim(r) && !r.x && link.welcome.role === 'controller' && isSecond(link) && !hasReleased(link), 'controller_active') },
  'claim.other': { lie: 'a claim against the controller gets not_controller', ...error((r, link, m) => m.code === 'controller_active', 'not_controller') },
  'claim.names': { lie: 'controller_active names another client', quick: true, ...reply('error', (r, link, m) => m.code === 'controller_active', (m) => ({ ...m, controller_id: 999 })) },

  'release.other': { lie: 'a release by an observer gets controller_active', ...reply('error', (r) => isRelease(r), (m) => refusal(m, 'controller_active')) },
  'release.ack': { lie: 'a release by the controller gets not_controller', ...refuse((r, link) => isRelease(r), 'not_controller') },
  'release.ends': { lie: 'commands are acknowledged after a release', quick: true, ...accept((r, link, m) => r.type === 'command' && m.code === 'not_controller' && hasReleased(link)) },
  'claim.free': { lie: 'a claim after a release gets controller_active', ...refuse((r, link) => isClaim(r) && hasReleased(link), 'controller_active') },

  'observer.command': { lie: 'a command of an observer gets invalid_command', ...error((r, link, m) => m.code === 'not_controller' && r.type === 'command' && role(link) === 'observer' && link.now?.controller_id !== null, 'invalid_command') },
  'observer.effect': { lie: 'state_hash changes after the command of an observer', quick: true, down: (m, link) => (m.code === 'not_controller' ? ((link.lied = true), m) : m.type === 'observation' && link.lied ? { ...m, state_hash: zeros } : m) },

  'seq.duplicate': { lie: 'a repeated seq is acknowledged', quick: true, ...old((m, link) => (m.type === 'error' && m.seq === link.same ? acknowledgement(m) : m)) },
  'seq.smaller': { lie: 'a smaller seq is acknowledged', ...old((m, link) => (m.type === 'error' && m.seq === link.less ? acknowledgement(m) : m)) },
  'seq.effect': { lie: 'a pause with an old seq is applied', ...old((m, link) => (m.type === 'observation' && link.less ? { ...m, paused: true, playable: false } : m)) },
  'seq.larger': { lie: 'a larger seq is refused after an old one', ...old((m, link) => (m.type === 'ack' && link.less && m.seq > link.less + 1 ? refusal(m, 'invalid_command') : m)) },

  'shape.broken': { lie: 'broken JSON gets invalid_place', up: (m, link, text) => void (!m && text.startsWith('{"type":"command"') && (link.cut = Number(/"seq":(\d+)/.exec(text)[1]))), down: (m, link) => (m.type === 'error' && m.seq === link.cut ? { ...m, code: 'invalid_place' } : m) },
  'shape.missing': { lie: 'a control without action gets invalid_place', quick: true, ...error((r) => r.type === 'control' && !r.action, 'invalid_place') },
  'shape.empty': { lie: 'an empty line is acknowledged', up: (m, link, text) => void (text === '' && link.send(without(acknowledgement({ seq: 0, ts: 0 }), 'applied_step', 'state_hash'))) },

  'backpressure.answered': { lie: 'a refused command gets no answer', slow: true, ...reply('error', (r, link, m) => m.code === 'backpressure' && !link.dropped, (m, link) => ((link.dropped = true), null)) },
  // Where nobody asks for it a busy machine may fill the queue too: the lie is told to the burst alone.
  'backpressure.code': { lie: 'a full queue gets invalid_command', ...error((r, link, m) => m.code === 'backpressure' && isBurst(link), 'invalid_command') },
  'backpressure.retry_after': { lie: 'retry_after_ms is 0', quick: true, ...reply('error', (r, link, m) => m.code === 'backpressure', (m) => ({ ...m, retry_after_ms: 0 })) },
  'backpressure.effect': { lie: 'a command that gets backpressure is applied', slow: true, ...reply('ack', (r, link) => acts('pause')(r) && isBurst(link) && !link.dropped, (m, link) => ((link.dropped = true), refusal(m, 'backpressure'))) },
  'backpressure.stream': { lie: 'observations stop with backpressure', slow: true, down: (m, link) => (m.code === 'backpressure' ? ((link.full = true), m) : m.type === 'observation' && link.full ? null : m) },
  'backpressure.retry': { lie: 'a retry gets backpressure again', down: (m, link) => (m.type === 'ack' && isBurst(link) && acts('moveLeft')(request(m, link)) ? refusal(m, 'backpressure') : m) },

  'reply.seq': { lie: 'the ack of a hardDrop has another seq', gates: 'A5', quick: true, ...reply('ack', (r, link) => acts('hardDrop')(r) && !isLockstep(link), (m) => ({ ...m, seq: m.seq + 1000, correlation_seq: m.seq + 1000 })) },
  'reply.once': { lie: 'a hardDrop is acknowledged twice', gates: 'A5', ...reply('ack', (r, link) => acts('hardDrop')(r) && !isLockstep(link), (m) => [m, m]) },
  'command.ack': { lie: 'hold is refused', ...refuse((r, link) => acts('hold')(r) && !isLockstep(link), 'invalid_command') },
  'place.ack': { lie: 'every place is refused', ...refuse((r, link) => r.mode === 'place' && !isLockstep(link), 'invalid_command') },
  'error.unknown_type': { lie: 'an unknown type gets not_controller', ...error((r) => r.type === 'dance', 'not_controller') },
  'error.unknown_mode': { lie: 'an unknown mode gets not_controller', ...error((r) => r.mode === 'fly', 'not_controller') },
  'error.unknown_action': { lie: 'an unknown action gets not_controller', ...error(acts('spin'), 'not_controller') },
  'error.unknown_control': { lie: 'an unknown control action gets not_controller', ...error((r) => r.action === 'grab', 'not_controller') },
  'error.second_hello': { lie: 'a second hello gets not_controller', quick: true, ...error((r, link) => r.type === 'hello' && link.welcome, 'not_controller') },
  'error.hello_seq': { lie: 'a hello with seq 2 gets not_controller', ...error((r) => r.type === 'hello' && r.seq === 2, 'not_controller') },
  'error.formats': { lie: 'a hello without json gets not_controller', ...error((r) => r.formats?.[0] === 'cbor', 'not_controller') },
  'error.restart_object': { lie: 'restart without its action gets not_controller', ...error((r) => r.restart && !isRestart(r), 'not_controller') },
  'error.action_count': { lie: '33 actions get not_controller', ...error((r) => r.actions?.length > 32, 'not_controller') },
  'error.seed_range': { lie: 'a negative seed gets not_controller', ...error((r) => r.restart?.seed < 0, 'not_controller') },
  'error.place_missing': { lie: 'mode place without place gets not_controller', ...error((r) => r.mode === 'place' && !r.place, 'not_controller') },
  'error.place_column': { lie: 'column 99 gets hold_unavailable', ...error((r) => r.place?.x === 99, 'hold_unavailable') },
  'error.place_rotation': { lie: 'rotation up gets hold_unavailable', ...error((r) => r.place?.rotation === 'up', 'hold_unavailable') },
  'error.hold': { lie: 'hold that is used up gets invalid_place', ...error((r, link, m) => m.code === 'hold_unavailable', 'invalid_place') },
  'error.snapshot_required': { lie: 'hold that is used up gets snapshot_required', ...error((r, link, m) => m.code === 'hold_unavailable', 'snapshot_required') },

  'place.no_time': { lie: 'a step passes for a refused place', ...afterRefusedPlace((m) => ({ ...m, ...('applied_step' in m && { applied_step: m.applied_step + 1 }), ...('logical_step' in m && { logical_step: m.logical_step + 1 }) })) },
  'place.atomic': { lie: 'a refused place with hold leaves hold used up', quick: true, ...afterRefusedPlace((m) => (m.type === 'observation' ? { ...m, can_hold: false } : m)) },

  'restart.ack': { lie: 'restart is refused', ...refuse((r) => isRestart(r), 'invalid_command') },
  'restart.episode': { lie: 'episode_id stays as it was', only: true, slow: true, ...shown((m, link) => ({ ...m, episode_id: (link.first ??= m.episode_id) })) },
  'restart.playable': { lie: 'the first observation of an episode is not playable', ...field((m) => (isFirstStep(m) ? { playable: false } : {})) },
  'restart.board': { lie: 'a cell is left after restart', quick: true, ...field((m) => (isFirstStep(m) ? { board: { ...m.board, cells: [...m.board.cells.slice(0, 19), [1, ...m.board.cells[19].slice(1)]] } } : {})) },
  'restart.from_pause': { lie: 'a restart while paused is not shown', slow: true, up: (m, link) => void (m && isRestart(m) && (link.hidden = link.now?.paused ? link.now.episode_id : undefined)), down: (m, link) => (m.type === 'observation' && link.hidden !== undefined && m.episode_id > link.hidden ? null : m) },
  'restart.from_over': { lie: 'a restart after game over is not shown', slow: true, up: (m, link) => void (m && isRestart(m) && !isLockstep(link) && (link.hidden = link.now?.game_over ? link.now.episode_id : undefined)), down: (m, link) => (m.type === 'observation' && link.hidden !== undefined && m.episode_id > link.hidden ? null : m) },

  'seed.reported': { lie: 'the reported seed is one more than that of restart', gates: 'A20', ...field((m, link) => (restartsOf(link).at(-1)?.restart ? { seed: m.seed + 1 } : {})) },
  'seed.pieces': { lie: 'pieces depend on the episode', quick: true, ...stepped((m, link) => ([...link.asked.values()].some((r) => r.mode === 'place') && m.active ? { ...m, active: { ...m.active, kind: 'iotszjl'[(m.episode_id + m.piece_id) % 7] } } : m)) },
  'seed.hashes': { lie: 'hashes depend on the episode', ...reply('ack', (r, link) => r.mode === 'place' && isLockstep(link), (m, link) => ({ ...m, state_hash: (link.now.episode_id % 16).toString(16) + m.state_hash.slice(1) })) },
  'seed.replays': { lie: 'the reported seed gives another queue', ...field((m, link) => { const [a, b] = restartsOf(link); return a && !a.restart && b?.restart ? { next: m.next_queue[1], next_queue: [...m.next_queue.slice(1), m.next_queue[0]] } : {}; }) },

  'order.restart': { lie: 'a tick is done before the first piece is shown', ...field((m) => (m.piece_id === 1 ? { step_in_piece: m.step_in_piece + 1 } : {})) },
  'order.drop': { lie: 'a tick is done before the second piece is shown', ...field((m) => (m.piece_id === 2 ? { step_in_piece: m.step_in_piece + 1 } : {})) },

  'pause.shown': { lie: 'paused is never true', slow: true, ...field((m) => (m.paused ? { paused: false, playable: true } : {})) },
  'pause.stream': { lie: 'a paused game is shown once', ...shown((m, link) => (pausesSeen(link) > 1 ? null : m)) },
  'pause.playable': { lie: 'a paused game is playable', ...field((m, link) => (m.paused && role(link) === 'controller' ? { playable: true } : {})) },
  'pause.moves': { lie: 'the piece moves while paused', ...field((m, link) => (pausesSeen(link) > 1 ? { active: { ...m.active, x: m.active.x ? m.active.x - 1 : 1 } } : {})) },
  'pause.ends': { lie: 'a pause never ends', slow: true, ...field((m, link) => (m.paused && role(link) === 'controller' && (link.stuck = m.episode_id), m.episode_id === link.stuck ? { paused: true, playable: false } : {})) },

  'over.reached': { lie: 'game_over is never true', slow: true, ...field((m) => ({ game_over: false })) },
  'over.stream': { lie: 'a finished game is shown twice', slow: true, ...shown((m, link) => (oversSeen(link) > 2 ? null : m)) },
  'over.playable': { lie: 'a finished game is playable', quick: true, ...field((m, link) => (m.game_over && role(link) === 'controller' ? { playable: true, active: { kind: 't', rotation: 'north', x: 3, y: 0 }, ghost_y: 0 } : {})) },
  'over.commands': { lie: 'hold scores a point after game over', ...field((m, link) => (m.game_over && [...link.asked.values()].some(acts('hold')) ? { score: m.score + 1 } : {})) },

  'control.free': { lie: 'the thirtieth controller is made an observer', ...welcome((m, link) => (m.role === 'controller' && (link.world.controllers = (link.world.controllers ?? 0) + 1) > 30 ? { role: 'observer', controller_id: 9999 } : {})) },
  'control.stale': { lie: 'a claim after the controller died gets controller_active', slow: true, ...refuse((r, link) => isClaim(r) && role(link) === 'observer' && !hasReleased(link), 'controller_active') },
  'control.promotion': { lie: 'nobody is promoted', slow: true, ...refuse((r, link) => r.type === 'command' && role(link) === 'auto', 'not_controller') },

  'reconnect.welcome': { lie: 'the thirtieth connection is closed', only: true, ...reply('welcome', (r, link) => link.number > 30, (m, link) => (link.client.destroy(), null)) },

  'rounds.30': { lie: 'a place in the fifth round is not answered', only: true, slow: true, ...reply('ack', (r, link) => r.mode === 'place' && link.number > 5, () => null) },
  'rounds.150': { lie: 'a place in the fifth round is not answered', only: true, slow: true, ...reply('ack', (r, link) => r.mode === 'place' && link.number > 5, () => null) },
  'rounds.200': { lie: 'a place in the fifth round is not answered', only: true, slow: true, ...reply('ack', (r, link) => r.mode === 'place' && link.number > 5, () => null) },
  'rounds.pace': { lie: 'a place in each of the last rounds takes 0.3 s', only: true, slow: true, ...reply('ack', (r, link) => r.mode === 'place' && link.number > 185 && !link.late, (m, link) => ((link.late = true), { wait: 300, send: m })) },
  'rounds.memory': {
    lie: 'the process takes 8 MiB in the hundredth round', only: true, slow: true,
    start(world) {
      world.child = spawn(process.execPath, ['-e', 'const kept = []; process.stdin.on("data", () => kept.push(Buffer.alloc(8 << 20, 1)))'], { stdio: ['pipe', 'ignore', 'ignore'] });
      return ['--pid', String(world.child.pid)];
    },
    down: (m, link) => (m.type === 'welcome' && link.number === 100 && link.world.child.stdin.write('more'), m),
  },

  'observation.at_once': { lie: 'observations show a later step', ...field((m) => ({ logical_step: m.logical_step + 1000 })) },

  'simple.ready': { lie: 'simple clients get no observation', only: true, slow: true, ...shown((m, link) => (isSimple(link) ? null : m)) },
  'simple.claim': { lie: 'an observation comes before the ack of a claim', only: true, ...reply('ack', (r, link) => isClaim(r) && isSimple(link), (m, link) => [link.now, m]) },
  'simple.restart': { lie: 'observers are shown no new episode', only: true, slow: true, ...shown((m, link) => ((link.first ??= m.episode_id) < m.episode_id && role(link) === 'observer' ? null : m)) },
  'simple.seed': { lie: 'the first step of an episode is not shown', only: true, slow: true, ...shown((m, link) => (isFirstStep(m) && isSimple(link) && link.observations > 1 ? null : m)) },
  'simple.playable': { lie: 'new clients are shown a game that is not playable', only: true, ...field((m, link) => (isSimple(link) ? { playable: false } : {})) },

  'alone.playable': { lie: 'observers are shown a game that is not playable', slow: true, ...field((m, link) => (role(link) === 'observer' ? { playable: false } : {})) },
  'alone.stands': { lie: 'logical_step rises for observers', slow: true, ...field((m, link) => (role(link) === 'observer' ? { logical_step: m.logical_step + link.observations } : {})) },

  'observers.rate': { lie: 'every second observation is dropped', only: true, slow: true, ...shown((m, link) => (link.observations % 2 ? m : null)) },
  'flood.bystander': { lie: 'observers get nothing after a storm of connections', only: true, slow: true, ...shown((m, link) => (link.world.connections > 200 ? null : m)) },

  'line.longest': { lie: 'a line of 65,536 bytes is refused', ...refuse((r) => r.x?.length > 60000, 'invalid_command') },
  'line.too_long': { lie: 'a line of 65,537 bytes gets invalid_place', up: (m, link, text) => void (link.long ||= text.length > 65536), down: (m, link) => (m.type === 'error' && link.long ? { ...m, code: 'invalid_place' } : m) },
  'line.utf8': { lie: 'a line that is not UTF-8 gets invalid_place', quick: true, up: (m, link, text) => void (link.odd ||= text.includes('\xff')), down: (m, link) => (m.type === 'error' && link.odd ? { ...m, code: 'invalid_place' } : m) },
  'line.alive': { lie: 'nobody is welcome after a line that is not UTF-8', up: (m, link, text) => void (link.world.odd ||= text.includes('\xff')), down: (m, link) => (m.type === 'welcome' && link.world.odd && !link.hello.requested.stream_observations ? refusal(m, 'invalid_command') : m) },

  'reference.hash': { lie: 'state_hash of an ack is 0', quick: true, ...reply('ack', (r, link) => isLockstep(link) && r.type === 'command', (m) => ({ ...m, state_hash: zeros })) },
  'reference.state': { lie: 'score is one more', ...stepped((m) => ({ ...m, score: m.score + 1 })) },

  'lockstep.clock': { lie: 'welcome.clock is realtime', ...welcome((m, link) => (isLockstep(link) ? { clock: 'realtime' } : {})) },
  'lockstep.one': { lie: 'every observation comes twice', quick: true, ...stepped((m) => [{ ...m, seq: 2 * m.seq }, { ...m, seq: 2 * m.seq + 1 }]) },
  'lockstep.same': { lie: 'state_hash depends on the episode', slow: true, ...stepped((m, link) => (restartsOf(link)[0]?.restart?.seed === 5 ? { ...m, state_hash: (m.episode_id % 16).toString(16) + m.state_hash.slice(1) } : m)) },

  'third.welcome': { lie: 'a 3.x hello gets invalid_command', ...reply('welcome', (r, link) => !isSecond(link) && r.requested.stream_observations, (m) => refusal(m, 'invalid_command')) },
  'third.features': { lie: 'the features of 3.x have lockstep', quick: true, ...third((m) => ({ capabilities: { ...m.capabilities, features: [...m.capabilities.features, 'lockstep'] } })) },
  'third.coordinates': { lie: 'a 3.x client is told cells', ...third(() => ({ coordinates: 'cells' })) },
  'third.events': { lie: 'a 3.x observation has last_event', down: (m, link) => (m.type === 'observation' && !isSecond(link) ? { ...m, last_event: null } : m) },
  'third.ack': { lie: 'the ack of a 3.x control has applied_step', down: (m, link) => (m.type === 'ack' && !isSecond(link) ? { ...m, applied_step: 1, state_hash: zeros } : m) },
};
