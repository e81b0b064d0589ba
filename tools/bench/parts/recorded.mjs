import { Simulation } from '@conclave/core/simulation';

/** The events that the nodes of a simulated run take, in their order: [place of the node, event]. */
export function recorded({ workload, ...options }) {
  const places = new Map(options.topology.nodes.map((id, index) => [id, index]));
  const events = [];
  const simulation = new Simulation({
    ...options,
    workload: (application) =>
      workload({
        ...application,
        tell: (id, command) => {
          events.push([places.get(id), command]);
          application.tell(id, command);
        },
      }),
  });
  simulation.messages$.subscribe(({ from, to, message }) =>
    events.push([places.get(to), { ...message, from }]),
  );
  simulation.run();
  return events;
}
