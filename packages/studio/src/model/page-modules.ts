import * as check from '@conclave/check';
import * as chart from '@conclave/core/chart';
import * as coreInternal from '@conclave/core/internal';
import * as chartInternal from '@conclave/core/internal/chart';
import * as simulationInternal from '@conclave/core/internal/simulation';
import * as traceInternal from '@conclave/core/internal/trace';
import * as protocol from '@conclave/core/protocol';
import * as simulation from '@conclave/core/simulation';
import * as topology from '@conclave/core/topology';
import * as trace from '@conclave/core/trace';
import * as rxjs from 'rxjs';
import * as xstate from 'xstate';
import { beginModule, defineModule, draftProtocol } from '../playground/user-module.js';
import type { sharedModules } from './bundle-form.js';
import { register } from './own.js';

declare global {
  /** What a bundled module finds in the page, and in its worker. */
  var conclave:
    | {
        readonly modules: Readonly<Record<(typeof sharedModules)[number], object>>;
        readonly register: typeof register;
        /** The module that is written in the playground. */
        readonly beginModule: typeof beginModule;
        readonly defineModule: typeof defineModule;
        readonly moduleProtocol: typeof draftProtocol;
      }
    | undefined;
}

/**
 * Lets bundled modules use the modules of this page, and give it their protocols.
 *
 * @param algorithms loads what `@conclave/algorithms` has for protocols, only for a module that asks
 * for it. What runs them over a transport, such as `lock`, a page does not have
 */
export function shareModules(algorithms: () => object): void {
  globalThis.conclave = {
    modules: {
      xstate,
      rxjs,
      get '@conclave/algorithms'() {
        return algorithms();
      },
      '@conclave/check': check,
      '@conclave/core/chart': chart,
      '@conclave/core/protocol': protocol,
      '@conclave/core/simulation': simulation,
      '@conclave/core/topology': topology,
      '@conclave/core/trace': trace,
      '@conclave/core/internal/chart': chartInternal,
      '@conclave/core/internal/simulation': simulationInternal,
      '@conclave/core/internal': coreInternal,
      '@conclave/core/internal/trace': traceInternal,
    },
    register,
    beginModule,
    defineModule,
    moduleProtocol: draftProtocol,
  };
}
