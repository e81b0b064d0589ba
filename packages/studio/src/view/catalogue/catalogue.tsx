/** The first page: stories, the lecture, labs, and the catalogue with its filters. */
import { faults } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { spaceTimeSvg } from '@conclave/core/trace';
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { groupBy } from '../../base/collections.js';
import { pointText } from '../../base/numbers.js';
import type { ChartLayout } from '../../chart/graph.js';
import { layoutOf } from '../../chart/svg.js';
import { labs } from '../../course/exercises.js';
import type { ExerciseRow } from '../../course/judge.js';
import { linkText } from '../../link/link.js';
import { networkLayout } from '../../model/network-layout.js';
import type { CatalogueRow } from '../../model/page-data.js';
import { Session } from '../../model/session.js';
import { draftName } from '../../playground/user-module.js';
import { langOf, say, sayAny } from '../../texts/say.js';
import { receive } from '../own.js';
import { Select, Translated } from '../parts/controls.js';
import { attempt } from '../studio.js';
import { catalogueRows, pageData, specificationPage } from './data.js';
import { type Story, stories, twoLeaders } from './lecture.js';

const search = signal('');
const network = signal('');
const fault = signal('');

export function Catalogue() {
  const rows = catalogueRows();
  const pageOf = (name: string) => specificationPage(name)?.html ?? '';
  const shown = rowsWith(rows.filter(isShown), search.value, pageOf);
  const networks = [...new Set(rows.map((row) => row.network))].sort();
  return (
    <section class="catalogue" aria-labelledby="catalogue-title">
      <Header />
      <search class="flow wraps">
        <input
          type="search"
          aria-label={say('Search')}
          placeholder={say('Search: token, ring, Lamport …')}
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
        <Select
          aria-label={say('Network')}
          value={network.value}
          options={[
            ['', say('Any network')],
            ...networks.map((one) => [one, sayAny(one)] as const),
          ]}
          onChoose={(one) => {
            network.value = one;
          }}
        />
        <Select
          aria-label={say('Tolerates')}
          value={fault.value}
          options={[
            ['', say('Any channels')],
            ...faults.channelFaultRows.map(({ tolerance }) => [tolerance, say(tolerance)] as const),
          ]}
          onChoose={(one) => {
            fault.value = one;
          }}
        />
        <span class="faint" role="status">
          {say('{shown} of {all}', { shown: shown.length, all: rows.length })}
        </span>
      </search>
      {[...groupBy(shown, ({ group }) => group.split(': ').map(sayAny).join(': '))].map(
        ([group, those]) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            <ul>
              {those.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </ul>
          </section>
        ),
      )}
      {shown.length === 0 && (
        <p>{say('No protocol has all of this. Remove a word or a filter.')}</p>
      )}
    </section>
  );
}

/** A run that moves before anything is clicked. */
function Moving({ title, link }: Story) {
  const picture = useSignal('');
  useEffect(() => {
    void Session.open(link).then(({ run, tip }) => {
      const svg = spaceTimeSvg(run.trace(tip.value), { title: say(title), animated: true });
      picture.value = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    });
  }, []);
  return picture.value ? <img class="moving" alt={say(title)} src={picture.value} /> : null;
}

const Header = () => (
  <header>
    <Moving {...twoLeaders} />
    <h1 id="catalogue-title" class="large">
      {say('Distributed protocols, to see, move and break')}
    </h1>
    <p class="faint">
      {say('Each one is a statechart. Run it by hand, check it, or read its specification.')}
    </p>
    <h2 class="unseen">{say('Stories')}</h2>
    <ul class="stories" aria-label={say('Stories')}>
      {stories.map(({ title, text, link }) => (
        <Shown key={title} title={say(title)} text={say(text)} hash={linkText(link)} />
      ))}
      <Shown
        title={say('A lecture of 45 minutes')}
        text={say('To share and to agree without a common memory: ten systems, by → alone.')}
        hash="lecture"
      />
      <Shown
        title={say('Playground')}
        text={say('Write a protocol, or change one of these: it is checked while you write.')}
        hash={draftName}
      />
    </ul>
    <Labs />
    <PasteLink />
  </header>
);

interface ShownProps {
  readonly title: string;
  readonly text: string;
  readonly hash: string;
}

const Shown = ({ title, text, hash }: ShownProps) => (
  <li class="card stack">
    <h3>{title}</h3>
    <p>{text}</p>
    <a class="button" href={`#${hash}`} aria-label={say('Show: {title}', { title })}>
      {say('Show')}
    </a>
  </li>
);

/** Opens a link that somebody else has copied. */
function PasteLink() {
  const text = useSignal('');
  return (
    <form
      class="flow"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => receive(text.value, say('The link')));
      }}
    >
      <input
        type="text"
        aria-label={say('Paste a link')}
        placeholder={say('Paste a link: #raymond?topology=chain:3&steps=0.1')}
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" class="button" disabled={text.value.trim() === ''}>
        {say('Open')}
      </button>
    </form>
  );
}

interface RowProps {
  readonly row: CatalogueRow;
}

const isShown = (row: CatalogueRow): boolean =>
  (network.value === '' || row.network === network.value) &&
  (fault.value === '' || row.faults.includes(fault.value));

/** A network as lines and points, small. */
function NetworkDrawing({ spec }: { readonly spec: string }) {
  const [network, size] = [topology(spec), { width: 72, height: 48 }];
  const { places } = networkLayout(network, { ...size, margin: 7 });
  const at = (id: NodeId) => pointText(places.get(id)?.x ?? 0, places.get(id)?.y ?? 0);
  return (
    <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <path d={network.links.map(({ from, to }) => `M${at(from)}L${at(to)}`).join('')} />
      <path class="nodes" d={network.nodes.map((id) => `M${at(id)}h0`).join('')} />
    </svg>
  );
}

/** A statechart without its texts, small. */
function ChartDrawing({ layout: { width, height, boxes, edges } }: { layout: ChartLayout }) {
  const states = boxes.slice(1).map(([x, y, w, h]) => `M${x} ${y}h${w}v${h}h${-(w ?? 0)}z`);
  return (
    <svg width="96" height="48" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path d={edges.map((points) => `M${points.join(' ')}`).join('')} />
      <path class="states" d={states.join('')} />
    </svg>
  );
}

const Row = ({ row: { id, name, title, idea, network, cost, ...row } }: RowProps) => (
  <li class="card stack">
    <h3>
      <span class="faint">{id}</span> {title}
    </h3>
    <div class="drawings flow">
      <NetworkDrawing spec={row.example} />
      {row.charts.map((key) => {
        const layout = layoutOf(key);
        return layout && <ChartDrawing key={key} layout={layout} />;
      })}
    </div>
    <p>
      <Translated text={idea} />
    </p>
    <dl class="small">
      <dt>{say('Network')}</dt>
      <dd>
        <Translated text={network} />
      </dd>
      {cost !== '' && (
        <>
          <dt>{say('Cost')}</dt>
          <dd lang={langOf()}>{cost}</dd>
        </>
      )}
    </dl>
    <div class="flow">
      <a class="button" href={`#${name}`} aria-label={say('Run {title}', { title })}>
        {say('Run')}
      </a>
      <a
        class="button quiet"
        href={`#${name}?view=specification`}
        aria-label={say('Specification of {title}', { title })}
      >
        {say('Specification')}
      </a>
    </div>
  </li>
);

const kindTexts = {
  mend: 'Mend it: a chart has a mistake. {minutes} minutes, in an editor.',
  write: 'Write it: the chart, from its rules. {minutes} minutes, in an editor.',
  say: 'Say it: properties that notice mistakes. {minutes} minutes, in an editor.',
} as const;

/** Exercises by topic, folded. */
function Labs() {
  const codes = pageData<readonly ExerciseRow[]>('course') ?? [];
  return (
    <details>
      <summary>
        {say('Exercises: break it, mend it, say it, write it. {labs} labs', { labs: labs.length })}
      </summary>
      <div class="labs">
        {labs.map(({ title, aim, minutes, exercises }, index) => (
          <section key={title} class="card stack" aria-label={say(title)}>
            <h3>{say(title)}</h3>
            <p>{say('You learn {aim}. {minutes} minutes.', { aim: say(aim), minutes })}</p>
            {exercises.map(({ link, broken }) => (
              <p key={linkText(link)}>
                <a href={`#${linkText(link)}`}>{titleOf(link.setup.protocol)}</a>
                <small>
                  {say('{broken} Violate: {property}.', {
                    broken: say(broken),
                    property: sayAny(link.goal.property),
                  })}
                </small>
              </p>
            ))}
            {codes.map(
              ({ kind, name, lab, protocol, minutes }) =>
                lab === index + 1 && (
                  <p key={name}>
                    <a href={`#${draftName}?exercise=${name}`}>{titleOf(protocol)}</a>
                    <small>{say(kindTexts[kind], { minutes })}</small>
                  </p>
                ),
            )}
          </section>
        ))}
      </div>
    </details>
  );
}

const titleOf = (protocol: string): string =>
  catalogueRows().find(({ name }) => name === protocol)?.title ?? protocol;

/** Words that mean the same here: each finds what has one that begins like another of its row. */
const synonyms = [
  'mutex lock exclusion semaphore sperre ausschluss semaphor',
  'leader election elects wahl anführer',
  'deadlock verklemmung',
  'clock timestamp uhr zeitstempel',
  'token marke',
  'quorum votes vote stimme mehrheit majority',
  'snapshot schnappschuss',
  'consensus agreement commit konsens einigung',
  'broadcast multicast group gruppe rundruf',
  'detector heartbeat suspects ausfall ausfallerkennung',
  'wave echo welle flooding',
  'termination terminated terminierung',
  'tree baum spannbaum',
].map((row) => row.split(' '));

/** The rows that have all words; where there is none, the rows whose pages have them. */
export function rowsWith(
  rows: readonly CatalogueRow[],
  query: string,
  pageOf: (name: string) => string,
): readonly CatalogueRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const by = (textOf: (row: CatalogueRow) => string) =>
    rows.filter((row) => {
      const text = textOf(row).toLowerCase();
      const begins = ` ${text.replace(/[^\p{L}\d]+/gu, ' ')}`;
      return words.every(
        (word) =>
          synonyms
            .find((alike) => alike.includes(word))
            ?.some((one) => begins.includes(` ${one}`)) ?? text.includes(word),
      );
    });
  const known = by(({ id, name, title, idea, group, problem, network }) =>
    [id, name, title, idea, group, problem, network].join(' '),
  );
  return known.length > 0 ? known : by(({ name }) => pageOf(name));
}
