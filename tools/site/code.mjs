/** Code in colour, made when the site is built: TypeScript says what each word of TypeScript is. */
import ts from 'typescript';

const { TokenClass } = ts;
const classes = new Map([
  [TokenClass.Keyword, 'keyword'],
  [TokenClass.Comment, 'comment'],
  [TokenClass.StringLiteral, 'string'],
  [TokenClass.RegExpLiteral, 'string'],
  [TokenClass.NumberLiteral, 'number'],
  [TokenClass.BigIntLiteral, 'number'],
]);
const scripts = new Set(['ts', 'js']);

export const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const span = (kind, text) =>
  kind ? `<span class="${kind}">${escaped(text)}</span>` : escaped(text);

/** The text of a code block as HTML. */
export function coloured(text, language) {
  if (scripts.has(language)) return colouredScript(text);
  if (language === 'sh') return colouredShell(text);
  return escaped(text);
}

function colouredScript(text) {
  const classifier = ts.createClassifier();
  let state = ts.EndOfLineState.None;
  const lines = text.split('\n').map((line) => {
    const { entries, finalLexState } = classifier.getClassificationsForLine(line, state, false);
    state = finalLexState;
    let at = 0;
    return entries
      .map(({ classification, length }) => {
        const part = line.slice(at, at + length);
        at += length;
        return span(classes.get(classification), part);
      })
      .join('');
  });
  return lines.join('\n');
}

/** Comments only. */
const colouredShell = (text) =>
  text
    .split('\n')
    .map((line) => {
      const [, command, comment] = /^(.*?)((?:^|\s)#.*)?$/.exec(line);
      return escaped(command) + (comment ? span('comment', comment) : '');
    })
    .join('\n');
