/** Changes of the voters of a lock, by its own processes, while they have entries and faults. */
import { between, pause } from './random.mjs';

/** How many vote; of five nodes. */
const least = 3;
/** What a change may end with: the lock is lost, or too many do not answer. */
const expected = ['lost', 'timed-out'];

/** @param reached what to do in the middle of the change, such as to be killed; or undefined */
export async function changeVoters(lock, { name, nodes, protocol, random, log, report, reached }) {
  const { add, remove } = aChange(lock.voters, nodes, random);
  log('changing', name, listed(add), listed(remove));
  const changed = lock.changeVoters({ add, remove }, { waitFor: 10 * protocol.lease }).then(
    (voters) => ['changed', listed(voters)],
    (error) => {
      if (!expected.includes(error.code)) report(error);
      return ['unchanged', error.code];
    },
  );
  // one that is killed there has not heard how the change ends
  if (reached) await pause(between(random, 0, protocol.lease / 10)).then(reached);
  const [how, outcome] = await changed;
  log(how, name, outcome);
}

/** One more, one less, or another one. */
function aChange(voters, nodes, random) {
  const others = nodes.filter((node) => !voters.includes(node));
  const add = others.length > 0 ? [random.pick(others)] : [];
  const remove = voters.length > least || add.length > 0 ? [random.pick(voters)] : [];
  if (voters.length === least && random.chance(0.5)) return { add, remove: [] };
  if (voters.length > least && random.chance(0.5)) return { add: [], remove };
  return { add, remove };
}

const listed = (nodes) => nodes.join(',') || '-';
