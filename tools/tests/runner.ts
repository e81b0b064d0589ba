/** A suite, or a file, all of whose tests are left to `npm run verify`, is left out as a whole. */
import { type RunnerTestSuite, type SerializedConfig, TestRunner } from 'vitest';

// biome-ignore lint/style/noDefaultExport: vitest takes the default export of a runner
export default class TierRunner extends TestRunner {
  constructor(config: SerializedConfig) {
    super({ ...config, passWithNoTests: true });
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    // its hooks would start browsers and servers for nobody
    if (suite.mode === 'run' && !hasTests(suite)) suite.mode = 'skip';
    await super.onBeforeRunSuite?.(suite);
  }
}

const hasTests = ({ tasks }: RunnerTestSuite): boolean =>
  tasks.some((task) => task.type === 'test' || hasTests(task));
