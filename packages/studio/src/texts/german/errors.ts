/** What is wrong with a link, a file or a system, and what to try. */
export const errors = {
  "'{name}' is given twice": '„{name}“ steht zweimal da',
  "'{name}={value}' is no JSON": '„{name}={value}“ ist kein JSON',
  "'options={options}' is no object": '„options={options}“ ist kein Objekt',
  "'{name}' means nothing there": '„{name}“ bedeutet dort nichts',
  'it has {steps} steps and {times} times': 'er hat {steps} Schritte und {times} Zeiten',
  'its times go back': 'seine Zeiten laufen rückwärts',
  "'{name}={step}' is behind the last of its steps, {last}":
    '„{name}={step}“ liegt hinter seinem letzten Schritt, {last}',
  "'{protocol}' is no text of a URL": '„{protocol}“ ist kein Text einer URL',
  "'goal' and 'within' need each other": '„goal“ und „within“ brauchen einander',
  'its notes are not texts by number of steps':
    'seine Notizen sind keine Texte nach der Zahl der Schritte',
  "'{name}={text}' is none of {known}": '„{name}={text}“ ist keines von {known}',
  "'{name}={text}' is no whole number": '„{name}={text}“ ist keine ganze Zahl',
  "'{text}' is no time in milliseconds": '„{text}“ ist keine Zeit in Millisekunden',
  'The link cannot be read: {what}': 'Der Link ist nicht lesbar: {what}',
  'Was it cut off? Copy it again.': 'Ist er abgeschnitten? Noch einmal kopieren.',
  'Make it by: conclave studio ./module.ts --bundle FILE':
    'So entsteht es: conclave studio ./module.ts --bundle FILE',
  "{name} is not a bundled module: its first line has no '{bundleKey}'":
    '{name} ist kein gebündeltes Modul: seine erste Zeile hat kein „{bundleKey}“',
  "{name} has form '{found}' (made by {maker}), and this page reads form {bundleForm}":
    '{name} hat die Form „{found}“ (erzeugt von {maker}), und diese Seite liest Form {bundleForm}',
  '{cure}, with the Conclave that wrote this page.':
    '{cure}, mit dem Conclave, das diese Seite geschrieben hat.',
  '{name} fails: {why}': '{name} scheitert: {why}',
  'It runs in a page: there are no files, and no process.':
    'Es läuft in einer Seite: dort gibt es keine Dateien und keinen Prozess.',
  '{name} has no protocol': '{name} hat kein Protokoll',
  'Bundle it again.': 'Noch einmal bündeln.',
  '{name} is empty': '{name} ist leer',
  '{name} is the source of a module, and a page cannot load what it imports':
    '{name} ist der Quelltext eines Moduls, und eine Seite kann nicht laden, was es importiert',
  '{name} is neither a bundled module, nor a trace, nor a link':
    '{name} ist weder ein gebündeltes Modul noch eine Spur noch ein Link',
  'Bundle it first: conclave studio ./module.ts --bundle FILE':
    'Zuerst bündeln: conclave studio ./module.ts --bundle FILE',
  'The first line of a module is a comment with conclave-bundle; a trace begins with lines such as # protocol: raymond; a link has a #.':
    'Die erste Zeile eines Moduls ist ein Kommentar mit conclave-bundle; eine Spur beginnt mit Zeilen wie # protocol: raymond; ein Link hat ein #.',
  'Step {depth} is action {number}, and only {length} are possible':
    'Schritt {depth} ist Aktion {number}, und nur {length} sind möglich',
  'Was the link made for another version of the protocol?':
    'Gehört der Link zu einer anderen Version des Protokolls?',
  'The run does not repeat from step {depth} on: its last world is another one':
    'Der Lauf wiederholt sich nicht ab Schritt {depth}: seine letzte Welt ist eine andere',
  'The run does not end after step {depth}: a message, a timer or a choice is left':
    'Der Lauf endet nicht nach Schritt {depth}: eine Nachricht, ein Timer oder eine Wahl ist übrig',
  "There is no node '{node}' in '{topology}'": 'Es gibt keinen Knoten „{node}“ in „{topology}“',
  'Leave node out of the link.': 'Im Link node weglassen.',
  'The network {spec} has {nodes} and {links}; the studio shows up to {mostNodes} and {mostLinks}':
    'Das Netz {spec} hat {nodes} und {links}; das Studio zeigt höchstens {mostNodes} und {mostLinks}',
  node: 'Knoten',
  nodes: 'Knoten',
  link: 'Verbindung',
  links: 'Verbindungen',
  'Take a smaller one, or simulate it by the command line.':
    'Ein kleineres nehmen, oder es auf der Kommandozeile simulieren.',
  'A node of {spec} has more than {mostToCrash} neighbours: there are too many crashes in the middle of its steps':
    'Ein Knoten von {spec} hat mehr als {mostToCrash} Nachbarn: es gibt zu viele Abstürze mitten in seinen Schritten',
  'Take a smaller network, or crashes only between steps.':
    'Ein kleineres Netz nehmen, oder Abstürze nur zwischen Schritten.',
  "{name} has no option '{option}'": '{name} hat keine Option „{option}“',
  'A protocol of your own has none.': 'Ein eigenes Protokoll hat keine.',
  '{name} was recorded with the options {given}, and your {protocol} has {had}':
    '{name} wurde mit den Optionen {given} aufgezeichnet, und das eigene {protocol} hat {had}',
  'Bundle that one.': 'Jenes bündeln.',
  '{name}: its header has no {key}': '{name}: sein Kopf hat kein {key}',
  "A trace begins with lines such as '# {key}: {example}'.":
    'Eine Spur beginnt mit Zeilen wie „# {key}: {example}“.',
  "{name}: its options '{text}' are not a JSON object":
    '{name}: seine Optionen „{text}“ sind kein JSON-Objekt',
  'They read like {example}.': 'Sie lesen sich wie {example}.',
  'it crashed': 'er ist abgestürzt',
  'its answer cannot be read': 'seine Antwort ist nicht lesbar',
  'Incomplete: the worker ended without a result ({reason}), so nothing is known':
    'Unvollständig: der Worker endete ohne Ergebnis ({reason}), daher ist nichts bekannt',
  'Choose a smaller system or budget.': 'Ein kleineres System oder Budget wählen.',
  'The page has lost its script': 'Die Seite hat ihr Skript verloren',
  'Open it again.': 'Sie noch einmal öffnen.',
};
