/** Q1–Q10: what the documents ask their readers, a page each. */

import { entryOf, linked, listed, page, table } from '../evidence.mjs';
import { q8, q9 } from '../questions/elections.mjs';
import { q3, q4, q5, q6 } from '../questions/moving-tokens.mjs';
import { q1, q2, q7, q10 } from '../questions/raymond.mjs';

const questions = [q1, q2, q3, q4, q5, q6, q7, q8, q9, q10];
/** It is answered in a moment: a test compares the answer with the page. */
const quickest = q6;

export const chapter = {
  name: 'questions',
  title: 'The questions of the documents',
  about: 'Q1–Q10: exploration answers the questions that documents 002 and 003 leave open.',
  place: 5,
  jobs: ({ quick, seed }) =>
    questions.map((question) => ({
      label: `${question.id} of ${questions.length}`,
      compute: () => question.run({ quick, seed }),
    })),
  page: (given) => {
    const answers = questions.map((question, place) => ({ ...question, ...given[place] }));
    return {
      markdown: page(
        'Each question has a page with the answer, its evidence, and the condition that would change it. The explorer or the simulator computes all numbers and runs.',
        table(['question', 'about', 'answer'], answers.map(cells)),
      ),
      files: Object.fromEntries(answers.map((one) => [fileOf(one), pageOf(one)])),
    };
  },
  sample: ({ seed }) => {
    const answer = quickest.run({ quick: true, seed });
    return [`| ${cells({ ...quickest, ...answer }).join(' | ')} |`];
  },
};

const titleOf = (id) => entryOf(id).make().title;

const fileOf = ({ id }) => `${id.toLowerCase()}.md`;

const cells = ({ id, asks, of, answer }) => [
  `[${id}: ${asks}](${fileOf({ id })})`,
  listed(of.map((algorithm) => linked(algorithm))),
  answer,
];

const pageOf = ({ id, asks, of, answer, evidence, changes }) =>
  `${page(
    `# ${id}: ${asks}`,
    `About ${listed(of.map((algorithm) => linked(algorithm, `${algorithm} ${titleOf(algorithm)}`)))}.`,
    `**${answer}**`,
    '## Evidence',
    evidence,
    '## When the answer would change',
    changes,
    'Computed by `npm run study -- --only questions`. [All questions](questions.md).',
  )}\n`;
