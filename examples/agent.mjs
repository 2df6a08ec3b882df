#!/usr/bin/env node
// An agent for agon's arena: agent.mjs GAME [URL]. It plays legal moves at random. Node 22 has WebSocket by itself; before
// that, `npm install ws`.
const [game = 'coup', url = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const Socket = globalThis.WebSocket ?? (await import('ws')).default;

const registered = await fetch(`${url}/api/agents/register`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'javascript' }),
});
const { agent } = await registered.json();

// A browser cannot set headers: the key and the capabilities may stand in the address. Without the version in a header
// the frames are those of profile L, which have no request_id; an answer then counts by its turn.
const ws = new Socket(`${url.replace('http', 'ws')}/api/ws?api_key=${agent.api_key}&capabilities=belote`);
const send = (message) => ws.send(JSON.stringify(message));
const pick = (list) => list[Math.floor(Math.random() * list.length)];

function choose({ legal_actions: legal }) {
  const { type, data } = pick(legal);
  if (type === 'raise') return { type, data: { amount: data.min + Math.floor(Math.random() * (data.max - data.min + 1)) } };
  if (type === 'bid') return { type, data: { quantity: data.min_quantity, face: data.min_face } };
  return data ? { type, data } : { type };
}

const answers = {
  welcome: () => send({ type: 'join_queue', data: { game, one_shot: true } }),
  match_confirm_request: ({ confirm_id }) => send({ type: 'match_confirm', data: { confirm_id } }),
  action_request: (d) => send({ type: 'action', match_id: d.match_id, request_id: d.request_id, data: choose(d) }),
  error: ({ message }) => console.error(message),
  game_over: ({ result }) => {
    console.log(JSON.stringify(result));
    ws.close();
  },
};

ws.onmessage = ({ data }) => {
  const frame = JSON.parse(data);
  answers[frame.type]?.(frame.data);
};
ws.onclose = ({ code }) => code === 1000 || code === 1005 || console.error(`closed: ${code}`);
ws.onerror = ({ message }) => console.error(message);
