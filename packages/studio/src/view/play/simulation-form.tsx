import { type Signal, useSignal } from '@preact/signals';
import { type PlaySettings, played, usualSettings } from '../../model/play.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Field } from '../parts/field.js';
import { attempt, open, session as shown } from '../studio.js';
import { playerOf } from './players.js';

export interface SimulationFormProps {
  readonly session: Session;
  /** Called when something plays. */
  readonly onStart: () => void;
}

/** What the user has chosen last, by protocol and network. */
const chosen = new Map<string, PlaySettings>();

/**
 * The settings of a simulation, which begins at the start; and random steps, which go on from the
 * moment that is shown.
 */
export function SimulationForm({ session, onStart }: SimulationFormProps) {
  const { setup, protocol } = session.system;
  const key = `${setup.protocol} ${setup.topology}`;
  const settings = useSignal(chosen.get(key) ?? usualSettings(session.system));
  const isBusy = useSignal(false);
  const simulate = () =>
    attempt(async () => {
      chosen.set(key, settings.value);
      isBusy.value = true;
      await painted();
      const { link, ending } = played(session.system, settings.value);
      await open(link);
      onStart();
      if (shown.value) playerOf(shown.value).play(ending);
    }).finally(() => {
      isBusy.value = false;
    });
  return (
    <form
      class="play-form"
      onSubmit={(event) => {
        event.preventDefault();
        void simulate();
      }}
    >
      <h3>Simulate</h3>
      <p class="play-note">
        Virtual time, drawn from the seed: same seed, same run. Pause anywhere and go on by hand.
      </p>
      <div class="play-fields">
        <NumberField settings={settings} name="seed" label="Seed" step={1} />
        <TextField
          settings={settings}
          name="delay"
          label="Delay in ms"
          hint="fixed:5, uniform:1:10, exponential:20, geo"
        />
        <Field label="Order of channels">
          {(control) => (
            <select
              {...control}
              value={settings.value.order}
              onChange={({ currentTarget }) => {
                settings.value = {
                  ...settings.value,
                  order: currentTarget.value === 'fifo' ? 'fifo' : 'any',
                };
              }}
            >
              <option value="fifo">fifo</option>
              <option value="any">any</option>
            </select>
          )}
        </Field>
        <NumberField
          settings={settings}
          name="loss"
          label="Loss"
          step={0.01}
          most={1}
          hint="Probability, 0 to 1"
        />
        <NumberField
          settings={settings}
          name="duplication"
          label="Duplication"
          step={0.01}
          most={1}
          hint="Probability, 0 to 1"
        />
        {'acquire' in protocol.commands && 'release' in protocol.commands && (
          <NumberField settings={settings} name="entries" label="Entries of each node" step={1} />
        )}
        <TextField
          settings={settings}
          name="crashes"
          label="Crashes"
          hint="c@100; c@100+50 restarts it 50 ms later; c@100:inside, c@100:between: in the middle of a step, or not"
        />
      </div>
      <div class="play-buttons">
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isBusy.value ? 'Simulating …' : 'Play'}
        </button>
        <Button
          title="From here on, each step is one of the possible actions, drawn from the seed"
          onClick={() => {
            playerOf(session).walk(settings.value.seed);
            onStart();
          }}
        >
          Random steps from here
        </Button>
      </div>
    </form>
  );
}

/** When the page has been drawn: a long simulation keeps it from that. */
const painted = () =>
  new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

interface SettingProps<Name extends keyof PlaySettings> {
  readonly settings: Signal<PlaySettings>;
  readonly name: Name;
  readonly label: string;
  readonly hint?: string;
}

interface NumberFieldProps extends SettingProps<'seed' | 'loss' | 'duplication' | 'entries'> {
  readonly step: number;
  readonly most?: number;
}

const NumberField = ({ settings, name, label, hint, step, most }: NumberFieldProps) => (
  <Field label={label} hint={hint}>
    {(control) => (
      <input
        {...control}
        type="number"
        required
        min={0}
        max={most}
        step={step}
        value={settings.value[name]}
        onChange={({ currentTarget: { valueAsNumber } }) => {
          settings.value = { ...settings.value, [name]: valueAsNumber };
        }}
      />
    )}
  </Field>
);

const TextField = ({ settings, name, label, hint }: SettingProps<'delay' | 'crashes'>) => (
  <Field label={label} hint={hint}>
    {(control) => (
      <input
        {...control}
        type="text"
        spellcheck={false}
        value={settings.value[name]}
        onChange={({ currentTarget: { value } }) => {
          settings.value = { ...settings.value, [name]: value };
        }}
      />
    )}
  </Field>
);
