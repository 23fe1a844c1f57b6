// Plays the cases of both Kagzi dialects against a server, each in a namespace of its own, some at a time.
// Arguments: address, and a text or /expression/ that the names of the wanted cases contain. One line per case; exit code 1 if one fails.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { Scene } = require('./actors.cjs');
const { Unexpected } = require('./check.cjs');
const { Wire } = require('./wire.cjs');

const AT_A_TIME = Number(process.env.CASES_AT_A_TIME || 12);  // most of a case is waiting
const CASE_SECONDS = 150;

function chosen(filter) {
  const found = [];
  for (const file of fs.readdirSync(path.join(__dirname, 'cases')).sort()) {
    for (const [name, play] of Object.entries(require(`./cases/${file}`))) found.push({ name, id: name.split(' ')[0], play });
  }
  const ids = found.map((each) => each.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice) throw new Error(`${twice} is there twice`);
  const fits = filter && filter.startsWith('/') ? (name) => new RegExp(filter.slice(1, -1)).test(name) : (name) => name.includes(filter || '');
  return found.filter((each) => fits(each.name)).sort((a, b) => a.id.localeCompare(b.id));
}

async function limited(promise, seconds) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Unexpected(`expected an end within ${seconds} s got none`)), seconds * 1000); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function played(wire, each) {
  const scene = new Scene(wire, each.id.toLowerCase());
  const begun = Date.now();
  try {
    await limited(each.play(scene), CASE_SECONDS);
    console.log(`ok   ${each.name} (${Date.now() - begun} ms)`);
    return true;
  } catch (error) {
    console.log(`FAIL ${each.name}: ${error instanceof Unexpected ? error.message : `expected an answer got ${error.message}`}`);
    if (process.env.CASES_TRACE) console.log(error.stack);
    return false;
  } finally {
    await limited(scene.close(), 30).catch(() => {});
  }
}

async function main([address, filter]) {
  const waiting = chosen(filter);
  if (waiting.length === 0) throw new Error(`no case contains ${filter}`);
  const total = waiting.length;
  const failures = [];
  // Cases that count what others do not disturb share a few connections, as clients of one machine would.
  const wires = Array.from({ length: 3 }, () => new Wire(address));
  const lane = async (i) => {
    while (waiting.length > 0) {
      const each = waiting.shift();
      if (!(await played(wires[i % wires.length], each))) failures.push(each.id);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, (_, i) => lane(i)));
  console.log(`${total - failures.length} of ${total} cases hold${failures.length > 0 ? `; these do not: ${failures.sort().join(' ')}` : ''}`);
  process.exit(failures.length === 0 ? 0 : 1);
}

main(process.argv.slice(2)).catch((error) => { console.error(error); process.exit(1); });
