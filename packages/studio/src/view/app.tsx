import { Actions } from './actions/actions.js';
import { Catalogue } from './catalogue/catalogue.js';
import { Specification } from './catalogue/specification.js';
import { Chart } from './chart/chart.js';
import { Check } from './check/check.js';
import { Network } from './network/network.js';
import { Own } from './own/own.js';
import { Paths } from './paths/paths.js';
import { Play } from './play/play.js';
import { Properties } from './properties/properties.js';
import { SetupForm } from './setup/setup.js';
import { SpaceTime } from './space-time/space-time.js';
import { problem, session, view } from './studio.js';
import { TraceText } from './trace/trace.js';
import { Tried } from './tried/tried.js';

export function App() {
  const shown = session.value;
  return (
    <>
      {problem.value && <p role="alert">{problem.value.message}</p>}
      {!shown && (
        <>
          <Catalogue />
          <Own />
        </>
      )}
      {shown && view.value === 'specification' && <Specification session={shown} />}
      {shown && view.value === 'check' && <Check session={shown} />}
      {shown && view.value === 'paths' && <Paths session={shown} />}
      {shown && view.value === 'world' && (
        <main>
          <SetupForm session={shown} />
          <Play session={shown} />
          <Network session={shown} />
          <Chart session={shown} />
          <SpaceTime session={shown} />
          <TraceText session={shown} />
          <Actions session={shown} />
          <Tried session={shown} />
          <Properties session={shown} />
        </main>
      )}
    </>
  );
}
