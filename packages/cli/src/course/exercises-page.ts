import { type CodeExercise, pointsOf } from '@conclave/studio/internal/course';
import { say, sayAny } from '@conclave/studio/internal/texts';

/** The page beside the files: goals, minutes, points, and hints one by one. */
export const exercisesPage = (exercises: readonly CodeExercise[]): string =>
  `# ${say('Exercises')}\n\n${say('Change only the chart or the properties: actions and guards are those of the catalogue, and are used by their names. A file may import xstate, @conclave/core/protocol, @conclave/core/topology, the algorithms and files beside it.')}\n${exercises
    .map(
      (exercise) => `
## ${exercise.name}.mjs

${say('{goal} {minutes} minutes, {points} points.', { goal: sayAny(exercise.goal), minutes: exercise.minutes, points: pointsOf(exercise) })}
${exercise.hints.map((hint, index) => `\n<details><summary>${say('Hint {number}', { number: index + 1 })}</summary>${sayAny(hint)}</details>\n`).join('')}`,
    )
    .join('')}`;
