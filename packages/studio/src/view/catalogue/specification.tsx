import { useMemo } from 'preact/hooks';
import { ownProtocol } from '../../model/own.js';
import { withRulesSaid } from '../../model/rules.js';
import type { Session } from '../../model/session.js';
import { pack, rowText } from '../../playground/source.js';
import { draftName } from '../../playground/user-module.js';
import { langOf, say } from '../../texts/say.js';
import { Chart } from '../chart.js';
import { Button } from '../parts/controls.js';
import { assign } from '../parts/dom.js';
import { open, type SessionProps, view } from '../studio.js';
import { specificationPage } from './data.js';

/** The page of a protocol: its README, its statechart, what is proved. */
export function Specification({ session }: SessionProps) {
  const { name, citation } = session.system.protocol;
  const page = useMemo(() => (ownProtocol(name) ? undefined : specificationPage(name)), [name]);
  const [idea = '', ...rest] = page?.html.split(/(?=<h2)/) ?? [];
  return (
    <article class="specification card">
      <header>
        <p class="faint">{citation}</p>
        {page && (
          <Button
            title={say('Change its charts and properties in the playground')}
            onClick={() => void change(session)}
          >
            {say('Change it')}
          </Button>
        )}
        <Button kind="primary" icon="run" onClick={assign(view, 'world')}>
          {say('Run')}
        </Button>
      </header>
      <Readme html={idea} />
      <div class="specification-chart">
        <Chart session={session} />
      </div>
      <Readme html={rest.join('')} />
      {page && page.verified.length > 0 && <Proofs rows={page.verified} />}
    </article>
  );
}

async function change({ system: { protocol, setup } }: Session): Promise<void> {
  const code = await pack(rowText(protocol, setup.options));
  const drafted = { ...setup, protocol: draftName, options: {} };
  await open({ setup: drafted, view: 'world', steps: [], code });
}

const Readme = ({ html }: { readonly html: string }) => (
  // The build made this HTML of a README of this repository; a user's module has none.
  <div lang={langOf()} dangerouslySetInnerHTML={{ __html: withRulesSaid(html) }} />
);

const head = [
  'system',
  'options',
  'states',
  'transitions',
  'depth',
  'seconds',
  'peak MB',
  'verdicts',
] as const;

const Proofs = ({ rows }: { readonly rows: readonly (readonly string[])[] }) => (
  <>
    <h2>{say('Verified')}</h2>
    <p>{say('The explorer has searched these systems completely.')}</p>
    <div class="specification-table">
      <table>
        <thead>
          <tr>
            {head.map((word) => (
              <th key={word} scope="col">
                {say(word)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={cells.join()}>
              {cells.map((cell, index) => (
                <td key={head[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
);
