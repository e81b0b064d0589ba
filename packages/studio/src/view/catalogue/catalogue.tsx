import { signal, useSignal } from '@preact/signals';
import { groupBy } from '../../base/group-by.js';
import { linkText } from '../../link/link.js';
import type { CatalogueRow } from '../../model/catalogue-pages.js';
import { receive } from '../own/receive.js';
import { Select } from '../parts/field.js';
import { attempt } from '../studio.js';
import { catalogueRows } from './data.js';
import { Labs } from './labs.js';
import { stories } from './stories.js';
import './catalogue.css';

const search = signal('');
const network = signal('');
const fault = signal('');

/** All protocols, by problem and kind. */
export function Catalogue() {
  const rows = catalogueRows();
  const shown = rows.filter(isShown);
  const networks = [...new Set(rows.map((row) => row.network))].sort();
  return (
    <section class="catalogue" aria-labelledby="catalogue-title">
      <header>
        <h1 id="catalogue-title">Distributed protocols, to see, move and break</h1>
        <p class="faint">
          Each one is a statechart. Run it by hand, check it, or read its specification.
        </p>
        <h2 class="unseen">Stories</h2>
        <ul class="stories" aria-label="Stories">
          {stories.map(({ title, text, link }) => (
            <Shown key={title} title={title} text={text} hash={linkText(link)} />
          ))}
          <Shown
            title="A lecture of 45 minutes"
            text="To share and to agree without a common memory: ten systems, by → alone."
            hash="lecture"
          />
        </ul>
        <Labs />
        <PasteLink />
      </header>
      <search class="flow wraps">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search: token, ring, Lamport …"
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
        <Filter label="Network" chosen={network} options={networks} all="Any network" />
        <Filter
          label="Tolerates"
          chosen={fault}
          options={['loss', 'duplication']}
          all="Any channels"
        />
        <span class="faint" role="status">
          {shown.length} of {rows.length}
        </span>
      </search>
      {[...groupBy(shown, ({ group }) => group)].map(([group, those]) => (
        <section key={group} aria-label={group}>
          <h2>{group}</h2>
          <ul>
            {those.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p>No protocol has all of this. Remove a word or a filter.</p>}
    </section>
  );
}

interface ShownProps {
  readonly title: string;
  readonly text: string;
  readonly hash: string;
}

const Shown = ({ title, text, hash }: ShownProps) => (
  <li class="card stack">
    <h3>{title}</h3>
    <p>{text}</p>
    <a class="button" href={`#${hash}`} aria-label={`Show: ${title}`}>
      Show
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
        void attempt(() => receive(text.value, 'The link'));
      }}
    >
      <input
        type="text"
        aria-label="Paste a link"
        placeholder="Paste a link: #raymond?topology=chain:3&steps=0.1"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" class="button" disabled={text.value.trim() === ''}>
        Open
      </button>
    </form>
  );
}

function isShown({ id, name, title, idea, group, problem, ...row }: CatalogueRow): boolean {
  const text = `${id} ${name} ${title} ${idea} ${group} ${problem} ${row.network}`.toLowerCase();
  const words = search.value.toLowerCase().split(/\s+/);
  return (
    words.every((word) => text.includes(word)) &&
    (network.value === '' || row.network === network.value) &&
    (fault.value === '' || row.faults.includes(fault.value))
  );
}

interface FilterProps {
  readonly label: string;
  readonly chosen: { value: string };
  readonly options: readonly string[];
  /** The words for no choice. */
  readonly all: string;
}

const Filter = ({ label, chosen, options, all }: FilterProps) => (
  <Select
    aria-label={label}
    value={chosen.value}
    options={[['', all], ...options.map((option) => [option, option] as const)]}
    onChoose={(value) => {
      chosen.value = value;
    }}
  />
);

const Row = ({ row: { id, name, title, idea, network, cost } }: { readonly row: CatalogueRow }) => (
  <li class="card stack">
    <h3>
      <span class="faint">{id}</span> {title}
    </h3>
    <p>{idea}</p>
    <dl class="small">
      <dt>Network</dt>
      <dd>{network}</dd>
      {cost !== '' && (
        <>
          <dt>Cost</dt>
          <dd>{cost}</dd>
        </>
      )}
    </dl>
    <div class="flow">
      <a class="button" href={`#${name}`} aria-label={`Run ${title}`}>
        Run
      </a>
      <a
        class="button quiet"
        href={`#${name}?view=specification`}
        aria-label={`Specification of ${title}`}
      >
        Specification
      </a>
    </div>
  </li>
);
