import { catalogue } from '@conclave/algorithms';
import { mutate } from '@conclave/core/mutation';

const e = catalogue.find((x) => x.id === process.argv[2]);
const r = mutate(e.make());
for (const m of r.mutants)
  if (['survived', 'unreached', 'equivalent', 'rejected'].includes(m.fate)) {
    console.log(m.fate, m.id, '\n   ', m.before, '\n   ', m.after, m.by ?? '');
    if (m.difference && process.argv[3]) console.log(m.difference.system, m.difference.run.join('\n'), m.difference.differs);
  }
