// How seats play, counted from `agon replay export --views`: written apart from the program's own counters, from events and
// views alone. {name: [n, of, squares?]} by seat.
const make = (names) => Object.fromEntries(names.map((n) => [n, [0, 0]]));
const share = (c, name, yes) => { c[name][0] += yes ? 1 : 0; c[name][1]++; };
const mean = (c, name, value) => { const x = c[name]; x[0] += value; x[1]++; x[2] = (x[2] ?? 0) + value * value; };
const seatNo = (name) => Number(name.slice(5));

function texas_holdem(lines, seats) {
  const all = seats.map(() => make(['vpip', 'pfr', 'aggression', 'showdown', 'showdown_won', 'bb_per_100']));
  let h;
  for (const e of lines.flatMap((l) => l.events ?? [])) {
    if (e.type === 'new_hand') h = { bb: e.big_blind, in: Object.entries(e.chips).filter(([, c]) => c > 0).map(([s]) => seatNo(s)), total: {}, out: new Set(), paid: new Set(), raised: new Set(), flop: null, preflop: true };
    if (e.type === 'player_disconnected') h.out.add(seatNo(e.seat));
    if (e.type === 'community_cards') { h.preflop = false; h.flop ??= h.in.filter((s) => !h.out.has(s)); }
    if (e.type === 'player_action') {
      const s = seatNo(e.seat), most = Math.max(0, ...Object.values(h.total));
      if (['call', 'raise', 'allin'].includes(e.action)) {
        const raise = e.action === 'raise' || (e.action === 'allin' && e.total_bet > most);
        all[s].aggression[raise ? 0 : 1]++;
        if (h.preflop) { h.paid.add(s); if (raise) h.raised.add(s); }
      }
      if (e.action === 'fold') h.out.add(s);
      h.total[s] = e.total_bet;
    }
    if (e.type === 'hand_result')
      for (const s of h.in) {
        const shown = e.reason === 'showdown' && !h.out.has(s), won = e.payouts[`seat_${s}`] ?? 0;
        share(all[s], 'vpip', h.paid.has(s));
        share(all[s], 'pfr', h.raised.has(s));
        if (h.flop?.includes(s)) share(all[s], 'showdown', shown);
        const others = Object.entries(h.total).filter(([k]) => Number(k) !== s).map(([, total]) => total);
        if (shown) share(all[s], 'showdown_won', won > Math.max(0, (h.total[s] ?? 0) - Math.max(0, ...others)));
        const x = (won - (h.total[s] ?? 0)) * 1000 / h.bb;
        mean(all[s], 'bb_per_100', Math.sign(x) * Math.round(Math.abs(x)));
      }
  }
  return all;
}

function coup(lines, seats) {
  const all = seats.map(() => make(['bluffs', 'bluffs_caught', 'challenges', 'challenges_won']));
  let views = lines[0].views;
  for (const l of lines.slice(1)) {
    for (const e of l.events ?? []) {
      if (['action', 'block'].includes(e.type) && e.claimed_role) {
        const s = seatNo(e.seat), lie = !views[e.seat].cards.includes(e.claimed_role);
        share(all[s], 'bluffs', lie);
        if (lie) all[s].bluffs_caught[1]++;
      }
      if (/^challenge(_block)?_result$/.test(e.type)) {
        const lie = e.result === 'success';
        if (lie) all[seatNo(e.seat)].bluffs_caught[0]++;
        all[seatNo(e.challenger)].challenges[0]++;
        share(all[seatNo(e.challenger)], 'challenges_won', lie);
      }
      // A claim opens a window for everybody else who lives, but a block of a challenge is only answered once.
      if (['action', 'block'].includes(e.type) && e.claimed_role)
        for (const s of l.views.spectator.seats) if (s.status === 'alive' && s.seat !== e.seat) all[seatNo(s.seat)].challenges[1]++;
    }
    views = l.views;
  }
  return all;
}

const choose = (n, k) => { let c = 1; for (let i = 1; i <= k; i++) c = c * (n - k + i) / i; return c; };
function liars_dice(lines, seats) {
  const all = seats.map(() => make(['bids_true', 'bids_expected', 'bids_called', 'calls_right', ...[0, 20, 40, 60, 80].map((p) => `true_from_${p}`)]));
  let views = lines[0].views;
  for (const l of lines.slice(1)) {
    for (const e of l.events ?? []) {
      if (e.type === 'bid') {
        const wild = views.spectator.wild_ones, fits = (d) => d === e.face || (wild && d === 1);
        const dice = Object.entries(views).filter(([k]) => k !== 'spectator').map(([k, v]) => [k, v.dice]);
        const count = dice.flatMap(([, d]) => d).filter(fits).length, own = views[e.seat].dice.filter(fits).length;
        const unseen = dice.filter(([k]) => k !== e.seat).flatMap(([, d]) => d).length, p = wild && e.face !== 1 ? 1 / 3 : 1 / 6;
        let chance = 0;
        for (let k = Math.max(0, e.quantity - own); k <= unseen; k++) chance += choose(unseen, k) * p ** k * (1 - p) ** (unseen - k);
        const c = all[seatNo(e.seat)], held = count >= e.quantity, thousandths = Math.round(chance * 1000);
        share(c, 'bids_true', held);
        mean(c, 'bids_expected', thousandths);
        c.bids_called[1]++;
        share(c, `true_from_${Math.min(80, Math.floor(thousandths / 200) * 20)}`, held);
      }
      if (e.type === 'challenge') {
        all[seatNo(e.bidder)].bids_called[0]++;
        share(all[seatNo(e.challenger)], 'calls_right', e.loser === e.bidder);
      }
    }
    views = l.views;
  }
  return all;
}

function belote(lines, seats) {
  const all = seats.map(() => make(['taken', 'contracts_made', 'contracts_beaten', 'points']));
  let who = {}, contract, before = lines[0].rules.match_points;
  for (const e of lines.flatMap((l) => l.events ?? [])) {
    if (e.type === 'deal_started') who = {};
    if (e.type === 'bid' && e.action === 'announce') who[e.mode] = e.seat;
    if (e.type === 'negotiation_completed') contract = e;
    if (e.type === 'deal_ended') {
      const gained = e.match_points.map((p, i) => p - before[i]), us = contract.team - 1;
      const made = gained[us] > gained[1 - us] || (contract.mode.startsWith('Colour') && e.sweep === contract.team);
      seats.forEach((_, s) => {
        const takes = who[contract.mode] === `seat_${s}`;
        share(all[s], 'taken', takes);
        if (takes) share(all[s], 'contracts_made', made);
        if (s % 2 !== us) share(all[s], 'contracts_beaten', !made);
        mean(all[s], 'points', gained[s % 2]);
      });
      before = e.match_points;
    }
  }
  return all;
}

const games = { texas_holdem, coup, liars_dice, belote };

// `lines`: of `agon replay export --views -f jsonl`, parsed.
export const countHabits = (lines) => games[lines[0].game](lines, Object.keys(lines[0].seats));
