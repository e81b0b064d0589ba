import { useMemo } from 'preact/hooks';
import { ownProtocol } from '../../model/own.js';
import type { Session } from '../../model/session.js';
import { Chart } from '../chart/chart.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { view } from '../studio.js';
import './catalogue.css';
import { specificationPage } from './data.js';

/** The page of a protocol: its README, its statechart, what is proved. */
export function Specification({ session }: { readonly session: Session }) {
  const { protocol } = session.system;
  const page = useMemo(
    () => (ownProtocol(protocol.name) ? undefined : specificationPage(protocol.name)),
    [protocol.name],
  );
  return (
    <article class="specification">
      <header>
        <p class="specification-source">{protocol.citation}</p>
        <Button
          kind="primary"
          onClick={() => {
            view.value = 'world';
          }}
        >
          <Icon name="run" /> Run
        </Button>
      </header>
      {page && <Readme html={page.html} />}
      <h2>Statechart</h2>
      <div class="specification-chart">
        <Chart session={session} />
      </div>
      {page && page.verified.length > 0 && <Proofs rows={page.verified} />}
    </article>
  );
}

const Readme = ({ html }: { readonly html: string }) => (
  // The build made this HTML of a README of this repository; a user's module has none.
  <div class="specification-text" dangerouslySetInnerHTML={{ __html: html }} />
);

const proofHead = [
  'system',
  'options',
  'states',
  'transitions',
  'depth',
  'seconds',
  'peak MB',
  'verdicts',
];

const Proofs = ({ rows }: { readonly rows: readonly (readonly string[])[] }) => (
  <>
    <h2>Verified</h2>
    <p>The explorer has searched these systems completely.</p>
    <div class="specification-table">
      <table>
        <thead>
          <tr>
            {proofHead.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={cells.join()}>
              {cells.map((cell, index) => (
                <td key={proofHead[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </>
);
