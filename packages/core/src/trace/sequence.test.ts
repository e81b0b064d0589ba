import { describe, expect, it } from 'vitest';
import { parseTrace } from './parse.js';
import { sequenceDiagram } from './sequence.js';

const diagram = (text: string) => sequenceDiagram(parseTrace(text)).split('\n    ');

describe('sequenceDiagram', () => {
  it('draws the example of the style guide', () => {
    expect(
      diagram(
        'a  acquire  released → wanted  ⇒ b: request(1)\nb  request(1) from a  released  ⇒ a: reply\na  reply from b  wanted → held',
      ),
    ).toEqual([
      'sequenceDiagram',
      'participant n1 as a',
      'participant n2 as b',
      'Note over n1: acquire<br/>released → wanted',
      'n1->>n2: request(1)',
      'n2->>n1: reply',
      'Note over n1: wanted → held',
    ]);
  });

  it('takes the order of the participants from the header, if it has one', () => {
    const text = '# nodes: end c\nc  start  s  ⇒ b: x, end: x\nb  x from c  s → t';
    expect(diagram(text).slice(1)).toEqual([
      'participant n1 as end',
      'participant n2 as c',
      'participant n3 as b',
      'n2->>n3: x',
      'Note over n3: s → t',
    ]);
  });

  it('shows losses as crossed arrows and everything else as notes', () => {
    const text = [
      'a  go  s  ⇒ b: x',
      'b  duplicate x from a',
      'b  drop x from a',
      'b  cut from a',
      'b  heal from a',
      'b  crash',
      'b  restart',
      'a  timeout retry.m.s  s  ⇒ notify late(1)',
      'a  chosen 2  s → client.t & voter.u',
    ].join('\n');
    expect(diagram(text).slice(3)).toEqual([
      'Note over n1: go',
      'Note over n1,n2: duplicate x from a',
      'n1-xn2: x',
      'Note over n1,n2: cut from a',
      'Note over n1,n2: heal from a',
      'Note over n2: crash',
      'Note over n2: restart',
      'Note over n1: timeout retry.m.s<br/>notify late(1)',
      'Note over n1: chosen 2<br/>s → client.t & voter.u',
    ]);
  });

  it('escapes text that Mermaid would interpret', () => {
    expect(diagram('new-york  say("a; b #1 %%{c}%% <br>")  s').slice(1)).toEqual([
      'participant n1 as new-york',
      'Note over n1: say(#34;a#59; b #35;1 #37;#37;#123;c#125;#37;#37; #60;br#62;#34;)',
    ]);
  });
});
