/** The playground. */
export const play = {
  'Write a protocol, or change one of these: it is checked while you write.':
    'Ein Protokoll schreiben oder eines von diesen ändern: es wird dabei geprüft.',
  Playground: 'Werkstatt',
  'Opening the editor …': 'Der Editor wird geöffnet …',
  'This page has no editor': 'Diese Seite hat keinen Editor',
  'Write it again: conclave studio --out studio.html':
    'Neu schreiben: conclave studio --out studio.html',
  'Source of the protocol': 'Quelltext des Protokolls',
  'The end of the source is missing in the link': 'Das Ende des Quelltexts fehlt im Link',
  'Was it cut off? Copy it again. What came before is shown.':
    'Wurde er abgeschnitten? Noch einmal kopieren. Gezeigt wird, was davor steht.',
  'What you wrote': 'Das Geschriebene',
  'Start from …': 'Beginnen mit …',
  'a new protocol, as conclave init writes it':
    'einem neuen Protokoll, wie conclave init es schreibt',
  'Open file …': 'Datei öffnen …',
  'Save file': 'Datei sichern',
  'Save the module, for conclave check FILE and your own editor':
    'Das Modul sichern, für conclave check DATEI und den eigenen Editor',
  'Copy link: it holds the whole source': 'Link kopieren: er enthält den ganzen Quelltext',
  'Network and budget': 'Netz und Budget',
  'Checking …': 'Wird geprüft …',
  'Statechart of {role}': 'Zustandsdiagramm von {role}',
  'Line {line}: ': 'Zeile {line}: ',
  'Below: what was found before this change.': 'Darunter: was vor dieser Änderung gefunden wurde.',
  'Stopped: {what} has not ended within {seconds} s':
    'Abgebrochen: {what} hat nach {seconds} s kein Ende gefunden',
  'the module': 'das Modul',
  'a step, a guard or a property': 'ein Schritt, ein Guard oder eine Eigenschaft',
  'Is there a loop without an end?': 'Gibt es eine endlose Schleife?',
  'Move it by hand': 'Von Hand bewegen',
  '{name}: show this run in the studio': '{name}: diesen Lauf im Studio zeigen',
  'There the module runs in this page, and no longer in a worker that is ended after a while: open only what you trust.':
    'Dort läuft das Modul in dieser Seite und nicht mehr in einem Worker, der nach einer Weile beendet wird: nur öffnen, was vertrauenswürdig ist.',
  'Change it': 'Ändern',
  'Change its charts and properties in the playground':
    'Diagramme und Eigenschaften in der Werkstatt ändern',
  'I trust it: open': 'Ich vertraue ihm: öffnen',
};
