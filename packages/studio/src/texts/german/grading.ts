/** The exercises in code, and what grading says. The page has it with its editor. */
export const grading = {
  '{broken} Violate in at most {within} steps: {violate}':
    '{broken} Zu verletzen (höchstens {within} Schritte): {violate}',
  'Wrote {out}: {files}, README.md.': '{out} ist geschrieben: {files}, README.md.',
  student: 'Name',
  points: 'Punkte',
  '{points} of {of}': '{points} von {of}',
  'Lab {lab}': 'Blatt {lab}',
  'A link about {protocol} is of no exercise here':
    'Ein Link zu {protocol} gehört hier zu keiner Aufgabe',
  'solved, in {steps} steps': 'gelöst, mit {steps} Schritten',
  'step {step} is not possible there': 'Schritt {step} ist dort nicht möglich',
  'not solved': 'nicht gelöst',
  'not tried': 'nicht versucht',
  '{file} is of no exercise here': '{file} gehört hier zu keiner Aufgabe',
  Look: 'Ansehen',
  'Not explored.': 'Nicht durchsucht.',
  'It has too many states.': 'Es hat zu viele Zustände.',
  'Never reached': 'Nie erreicht',
  'Not decided, since there are too many states': 'Nicht entschieden, da es zu viele Zustände gibt',
  'It cannot fail here': 'Sie kann hier nicht verletzt werden',
  'It has no property of its own.': 'Es hat keine eigene Eigenschaft.',
  'mutant {number}': 'Mutante {number}',
  'noticed by: {name}': 'bemerkt von: {name}',
  'No property that is true of the protocol notices it.':
    'Keine Eigenschaft, die für das Protokoll gilt, bemerkt sie.',
  'A mutant of it in which the same is wrong is not noticed.':
    'Eine Mutante von ihr, in der dasselbe falsch ist, wird nicht bemerkt.',
  'It is not true of another protocol that is right.':
    'Sie gilt nicht für ein anderes Protokoll, das richtig ist.',
  'It answers differently when it is asked again, in another order: it must depend on nothing but the state, not on names of nodes nor on contexts as a whole.':
    'Sie antwortet anders, wenn sie noch einmal gefragt wird, in anderer Reihenfolge: sie darf nur vom Zustand abhängen, nicht von Namen von Knoten und nicht von Kontexten als Ganzem.',
  'it hands in the chart of the catalogue: the states must stand in the file':
    'abgegeben ist das Diagramm des Katalogs: die Zustände müssen in der Datei stehen',
  "'{name}' in its chart has a control character": '„{name}“ im Diagramm hat ein Steuerzeichen',
  'The grades are those of --seed {seed}.': 'Die Bewertung ist die von --seed {seed}.',
  'it could not be judged': 'es ließ sich nicht beurteilen',
  "a submission may not import '{path}'": 'eine Abgabe darf „{path}“ nicht importieren',
  'it is a link to a file elsewhere': 'es ist ein Verweis auf eine Datei anderswo',
  'line {line}': 'Zeile {line}',
  'stopped: it takes longer than {seconds} s': 'angehalten: es dauert länger als {seconds} s',
  'stopped: it takes more than {memory} MB': 'angehalten: es braucht mehr als {memory} MB',
  'stopped: it says too much': 'angehalten: es gibt zu viel aus',
  'it ended without an answer': 'es endete ohne Antwort',
  "a submission may not use '{name}'. A protocol sends, waits and asks by its chart.":
    'eine Abgabe darf „{name}“ nicht benutzen. Ein Protokoll sendet, wartet und fragt durch sein Diagramm.',
  'it exports no protocol (it exports {names}). Keep: export const protocol':
    'es exportiert kein Protokoll (es exportiert {names}). Behalten: export const protocol',
  "the role '{role}' of its protocol has no machine with states":
    'die Rolle „{role}“ seines Protokolls hat keine Maschine mit Zuständen',
  "'{key}' is a function. Only names of actions and guards stand in a chart":
    '„{key}“ ist eine Funktion. In einem Diagramm stehen nur Namen von Aktionen und Bedingungen',
  'its protocol has no list of properties': 'sein Protokoll hat keine Liste von Eigenschaften',
  'one of its properties is none: always, never, sometimes … make them':
    'eine seiner Eigenschaften ist keine: always, never, sometimes … machen sie',
  '{file} is larger than a megabyte, and was not read':
    '{file} ist größer als ein Megabyte und wurde nicht gelesen',
  'It has no link of the studio, and no file with code':
    'Sie enthält keinen Link des Studios und keine Datei mit Code',
  'It has {links} links, of which {most} were read':
    'Es hat {links} Links, von denen {most} gelesen wurden',
  'Rules:': 'Regeln:',
  'Check it: npx conclave check ./{name}.mjs': 'Prüfen: npx conclave check ./{name}.mjs',
  'Messages and commands:': 'Nachrichten und Befehle:',
  Actions: 'Aktionen',
  Guards: 'Bedingungen',
  'A property counts if it is true of the protocol, and of others that are right. The tags of the charts: {tags}.':
    'Eine Eigenschaft zählt, wenn sie für das Protokoll gilt und für andere, die richtig sind. Die Tags der Diagramme: {tags}.',
  'Where it is graded, the chart of the import is this one, too.':
    'Wo bewertet wird, hat auch das importierte Protokoll dieses Diagramm.',
  'In the first mutant': 'In der ersten Mutante ist aus',
  'has become': 'geworden:',
  'and {others} others are hidden, with mutants of them. All are explored on {systems} small networks.':
    'und {others} weitere sind verborgen, mit Mutanten von ihnen. Alle werden auf {systems} kleinen Netzen durchsucht.',
  Exercises: 'Aufgaben',
  'Change only the chart or the properties: actions and guards are those of the catalogue, and are used by their names. A file may import xstate, @conclave/core/protocol, @conclave/core/topology, the algorithm of the exercise and files beside it.':
    'Nur das Diagramm oder die Eigenschaften ändern: Aktionen und Bedingungen sind die des Katalogs und werden bei ihren Namen genannt. Eine Datei darf xstate, @conclave/core/protocol, @conclave/core/topology, den Algorithmus der Aufgabe und Dateien neben sich importieren.',
  '{goal} {minutes} minutes, {points} points.': '{goal} {minutes} Minuten, {points} Punkte.',
  'Hint {number}': 'Hinweis {number}',
  'Hint {number} of {all}': 'Hinweis {number} von {all}',
  Judge: 'Bewerten',
  'Judging …': 'Wird bewertet …',
  'As conclave grade does it, on systems that are hidden':
    'Wie conclave grade es tut, auf verborgenen Systemen',
  '{points} of {of} points': '{points} von {of} Punkten',
  '1 point': '1 Punkt',
  'no point': 'kein Punkt',
  'The verdicts of what is written are below.': 'Was für das Geschriebene gilt, steht darunter.',
  'Start again': 'Von vorn beginnen',
  "This page has no exercise '{name}'": 'Diese Seite hat keine Aufgabe „{name}“',
  'It has {names}.': 'Sie hat {names}.',
  'Nodes that want to enter wait forever. Mend the chart, so that each enters, and only one at a time.':
    'Knoten, die eintreten wollen, warten ewig. Das Diagramm so reparieren, dass jeder eintritt, und immer nur einer.',
  'Check it, and look at the last step before nobody moves: who waits for whose reply?':
    'Prüfen und den letzten Schritt ansehen, bevor sich niemand mehr rührt: wer wartet auf wessen Antwort?',
  'Both defer. Only one of two requests may be deferred: which?':
    'Beide stellen zurück. Nur eine von zwei Anfragen darf zurückgestellt werden: welche?',
  'The rule for a younger request is there, but it is never reached.':
    'Die Regel für eine jüngere Anfrage ist da, wird aber nie erreicht.',
  'A client that has asked is forgotten. Mend the coordinator, so that each client gets its turn.':
    'Ein Client, der gefragt hat, wird vergessen. Den Koordinator so reparieren, dass jeder Client an die Reihe kommt.',
  'Check it with two clients that both want to enter.':
    'Mit zwei Clients prüfen, die beide eintreten wollen.',
  'What should the coordinator do when a client leaves, and what does it do?':
    'Was soll der Koordinator tun, wenn ein Client geht, und was tut er?',
  'It is free only if nobody is in its queue.':
    'Er ist nur frei, wenn niemand in seiner Warteschlange ist.',
  'Say what a lock must do, so that a check notices when it does not: properties that are true of the protocol, and not of its mutants.':
    'Sagen, was eine Sperre leisten muss, sodass eine Prüfung bemerkt, wenn sie es nicht tut: Eigenschaften, die für das Protokoll gelten und nicht für seine Mutanten.',
  'What must never happen? always(…) or never(…) over the tags of all nodes.':
    'Was darf nie geschehen? always(…) oder never(…) über die Tags aller Knoten.',
  'What must happen to a node that waits? leadsTo(…) from the tag waiting to the tag critical.':
    'Was muss mit einem wartenden Knoten geschehen? leadsTo(…) vom Tag waiting zum Tag critical.',
  'A lock that nobody enters is safe, too: sometimes(…).':
    'Auch eine Sperre, in die niemand eintritt, ist sicher: sometimes(…).',
  'Say what an election must do: properties that are true of the protocol, and not of its mutants.':
    'Sagen, was eine Wahl leisten muss: Eigenschaften, die für das Protokoll gelten und nicht für seine Mutanten.',
  'How many nodes may have the tag leader? always(…).':
    'Wie viele Knoten dürfen das Tag leader haben? always(…).',
  'Does everyone know the result? eventually(…) over the tag decided.':
    'Kennen alle das Ergebnis? eventually(…) über das Tag decided.',
  'Which node wins? Its id is in its context, as are the leader it knows and its own name.':
    'Welcher Knoten gewinnt? Seine id steht in seinem Kontext, ebenso der Anführer, den er kennt, und sein eigener Name.',
  'Write what a node does with the token, from the rules.':
    'Nach den Regeln schreiben, was ein Knoten mit dem Token tut.',
  'Which events are there? The messages and commands are listed above the chart.':
    'Welche Ereignisse gibt es? Nachrichten und Befehle stehen über dem Diagramm.',
  'Each state handles the token, or says that none can arrive there: in two of them one can.':
    'Jeder Zustand behandelt das Token oder sagt, dass dort keines ankommen kann: in zweien kann eines.',
  'A node that waits takes the token, counts the entry and is inside.':
    'Ein wartender Knoten nimmt das Token, zählt den Eintritt und ist drin.',
  'Write how a node compares ids, from the rules.':
    'Nach den Regeln schreiben, wie ein Knoten ids vergleicht.',
  'There are three guards: the id that arrives is larger than the own one, smaller, or the own one.':
    'Es gibt drei Bedingungen: die ankommende id ist größer als die eigene, kleiner, oder die eigene.',
  'A node that passes on a larger id relays from then on: passive.relaying.':
    'Ein Knoten, der eine größere id weitergibt, leitet von da an weiter: passive.relaying.',
  'In each of the two states, elect arrives, too: one of them ignores it, as in elect: {}.':
    'In jedem der beiden Zustände kommt auch elect an: einer ignoriert es, wie in elect: {}.',
};
