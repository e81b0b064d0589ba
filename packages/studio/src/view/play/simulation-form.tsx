import { type Signal, useSignal } from '@preact/signals';
import { type PlaySettings, usualSettings } from '../../model/play.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { type InputEvent, InputField, SelectField } from '../parts/field.js';
import { attempt, nextFrame, type SessionProps } from '../studio.js';
import { playSimulation } from './play-simulation.js';
import { playerOf } from './players.js';

export interface SimulationFormProps extends SessionProps {
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
  const { commands } = protocol;
  const key = `${setup.protocol} ${setup.topology}`;
  const settings = useSignal(chosen.get(key) ?? usualSettings(session.system));
  const isBusy = useSignal(false);
  const simulate = () =>
    attempt(async () => {
      chosen.set(key, settings.value);
      isBusy.value = true;
      await nextFrame();
      await playSimulation(session, settings.value);
      onStart();
    }).finally(() => {
      isBusy.value = false;
    });
  return (
    <form
      class="play-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        void simulate();
      }}
    >
      <h3>{say('Simulate')}</h3>
      <p class="note">
        {say(
          'Virtual time, drawn from the seed: same seed, same run. Pause anywhere and go on by hand.',
        )}
      </p>
      <Settings settings={settings} competes={'acquire' in commands && 'release' in commands} />
      <div class="play-buttons flow wraps">
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isBusy.value ? say('Simulating …') : say('Play')}
        </button>
        <Button
          title={say('From here on, each step is one of the possible actions, drawn from the seed')}
          onClick={() => {
            playerOf(session).walk(settings.value.seed);
            onStart();
          }}
        >
          {say('Random steps from here')}
        </Button>
      </div>
    </form>
  );
}

interface SettingsProps {
  readonly settings: Signal<PlaySettings>;
  readonly competes: boolean;
}

function Settings({ settings, competes }: SettingsProps) {
  const set = (change: Partial<PlaySettings>) => {
    settings.value = { ...settings.value, ...change };
  };
  const count = (name: 'seed' | 'entries' | 'loss' | 'duplication', step = 1) => ({
    ...({ type: 'number', required: true, min: 0, step, value: settings.value[name] } as const),
    onChange: ({ currentTarget }: InputEvent) => set({ [name]: currentTarget.valueAsNumber }),
  });
  const probability = (name: 'loss' | 'duplication') => ({
    ...count(name, 0.01),
    ...{ max: 1, hint: say('Probability, 0 to 1') },
  });
  const text = (name: 'delay' | 'crashes') => ({
    ...({ type: 'text', spellcheck: false, value: settings.value[name] } as const),
    onChange: ({ currentTarget }: InputEvent) => set({ [name]: currentTarget.value }),
  });
  const delays = 'fixed:5, uniform:1:10, exponential:20, geo';
  const crashes = say(
    'c@100; c@100+50 restarts it 50 ms later; c@100:inside, c@100:between: in the middle of a step, or not',
  );
  return (
    <div class="play-fields">
      <InputField label={say('Seed')} {...count('seed')} />
      <InputField label={say('Delay in ms')} hint={delays} {...text('delay')} />
      <SelectField
        label={say('Order of channels')}
        value={settings.value.order}
        options={(['fifo', 'any'] as const).map((order) => [order, say(order)])}
        onChoose={(order) => set({ order })}
      />
      <InputField label={say('Loss')} {...probability('loss')} />
      <InputField label={say('Duplication')} {...probability('duplication')} />
      {competes && <InputField label={say('Entries of each node')} {...count('entries')} />}
      <InputField label={say('Crashes')} hint={crashes} {...text('crashes')} />
    </div>
  );
}
