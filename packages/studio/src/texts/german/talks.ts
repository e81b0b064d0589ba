/** The lecture, the stories and the exercises; what is wrong with a link, a file or a system. */
export const talks = {
  'One message may be lost.': 'Eine Nachricht darf verloren gehen.',
  'One message may arrive twice.': 'Eine Nachricht darf zweimal ankommen.',
  'Messages may overtake each other.': 'Nachrichten dürfen einander überholen.',
  'One node may crash.': 'Ein Knoten darf abstürzen.',
  'One node may crash, and start again without what it knew.':
    'Ein Knoten darf abstürzen und ohne sein Gedächtnis neu starten.',
  'The network may split.': 'Das Netz darf sich teilen.',
  'Timers may fire at any moment.': 'Timer dürfen jederzeit ablaufen.',
  'Locks: ask everyone': 'Sperren: alle fragen',
  'why time stamps alone do not exclude, and what the order of channels is for':
    'warum Zeitstempel allein nicht ausschließen und wozu die Reihenfolge der Kanäle da ist',
  'Locks: a coordinator, and votes': 'Sperren: ein Koordinator und Stimmen',
  'what one node must not forget, and how votes block each other':
    'was ein Knoten nicht vergessen darf und wie Stimmen einander blockieren',
  'Nobody gives a vote back.': 'Niemand gibt eine Stimme zurück.',
  'Locks: a token': 'Sperren: ein Token',
  'what a token is worth that is lost, doubled or forgotten':
    'was ein Token wert ist, das verloren, verdoppelt oder vergessen wird',
  'Elections on a ring': 'Wahlen auf einem Ring',
  'why each node has to hear of each other one': 'warum jeder Knoten von jedem anderen hören muss',
  'Elections and time': 'Wahlen und Zeit',
  'that an election is as good as its timers': 'dass eine Wahl so gut ist wie ihre Timer',
  'Waves and trees': 'Wellen und Bäume',
  'what the end of a wave says, and what it rests on':
    'was das Ende einer Welle besagt und worauf es beruht',
  'Groups: order and agreement': 'Gruppen: Ordnung und Einigung',
  'which order a multicast gives, and who has to be there for it':
    'welche Ordnung ein Multicast gibt und wer dafür da sein muss',
  'Failures and clocks': 'Ausfälle und Uhren',
  'that a node which is slow looks like one that has crashed':
    'dass ein langsamer Knoten aussieht wie ein abgestürzter',
  'Clocks may be wrong by half.': 'Uhren dürfen um die Hälfte falsch gehen.',
  'Messages may take a second.': 'Nachrichten dürfen eine Sekunde brauchen.',
  'A coordinator': 'Ein Koordinator',
  'b and c share a printer. They have no common memory: they can only send messages. a keeps the lock. What happens when both ask at once?':
    'b und c teilen sich einen Drucker. Sie haben keinen gemeinsamen Speicher: sie können nur Nachrichten senden. a verwaltet die Sperre. Was geschieht, wenn beide zugleich fragen?',
  'Both have asked. Neither knows of the other.': 'Beide haben gefragt. Keiner weiß vom anderen.',
  'The request of b arrives first. a grants it.':
    'Die Anfrage von b kommt zuerst an. a gewährt sie.',
  'The request of c has to wait, in the queue of a.':
    'Die Anfrage von c muss warten, in der Warteschlange von a.',
  'b is in the critical section.': 'b ist im kritischen Abschnitt.',
  'b leaves, and tells a.': 'b verlässt ihn und sagt es a.',
  'a grants the lock to the next one in its queue.':
    'a gewährt die Sperre dem nächsten in der Warteschlange.',
  'Three messages for each entry, and a simple program. What if a crashes?':
    'Drei Nachrichten je Eintritt, und ein einfaches Programm. Was ist, wenn a abstürzt?',
  'Everybody keeps the queue': 'Alle führen die Warteschlange',
  'Now nobody is special. Each node keeps the whole queue, ordered by time stamps. The clocks only count.':
    'Jetzt ist niemand mehr etwas Besonderes. Jeder Knoten führt die ganze Warteschlange, geordnet nach Zeitstempeln. Die Uhren zählen nur.',
  'Both ask, with the same time stamp. Who is first?':
    'Beide fragen, mit demselben Zeitstempel. Wer ist der Erste?',
  'b puts the request of a into its queue, and acknowledges it. The name decides between equal stamps: a is first.':
    'b reiht die Anfrage von a ein und bestätigt sie. Bei gleichen Stempeln entscheidet der Name: a ist der Erste.',
  'a does the same. Both queues are equal, although nobody has compared them.':
    'a tut dasselbe. Beide Warteschlangen sind gleich, obwohl niemand sie verglichen hat.',
  'a has heard from everybody, and is the first in its queue: it enters. Why did it have to hear from everybody?':
    'a hat von allen gehört und ist der Erste in seiner Warteschlange: er tritt ein. Warum musste er von allen hören?',
  'b has heard from everybody, too, but it is not the first.':
    'b hat auch von allen gehört, ist aber nicht der Erste.',
  'a leaves, and tells everybody.': 'a verlässt den Abschnitt und sagt es allen.',
  'Now b enters. Three messages for each other node and entry. Can we save one?':
    'Jetzt tritt b ein. Drei Nachrichten je anderem Knoten und Eintritt. Lässt sich eine sparen?',
  'Ask everybody, once': 'Alle fragen, einmal',
  'A reply shall mean: you may enter as far as I am concerned. Then nobody has to say that it leaves.':
    'Eine Antwort soll heißen: von mir aus darfst du eintreten. Dann muss niemand mehr melden, dass er geht.',
  'Both ask at once, with the same time stamp.':
    'Beide fragen zugleich, mit demselben Zeitstempel.',
  'The request of a reaches b. It is older, by its name. What does b do?':
    'Die Anfrage von a erreicht b. Sie ist älter, dem Namen nach. Was tut b?',
  'The request of b reaches a. It is younger: a keeps the reply back.':
    'Die Anfrage von b erreicht a. Sie ist jünger: a hält die Antwort zurück.',
  'a has all replies: it enters.': 'a hat alle Antworten: er tritt ein.',
  'a leaves, and sends the reply that it has kept back.':
    'a geht und sendet die Antwort, die er zurückgehalten hat.',
  'b enters. Two messages for each other node and entry, and everybody was asked.':
    'b tritt ein. Zwei Nachrichten je anderem Knoten und Eintritt, und alle wurden gefragt.',
  'One of them crashes': 'Einer stürzt ab',
  'The same with three nodes. What if one of them crashes?':
    'Dasselbe mit drei Knoten. Was ist, wenn einer abstürzt?',
  'c asks.': 'c fragt.',
  'Nobody else wants to enter: both reply.': 'Sonst will niemand eintreten: beide antworten.',
  'c is in the critical section …': 'c ist im kritischen Abschnitt …',
  '… and crashes there.': '… und stürzt dort ab.',
  'a wants to enter. It asks b and c.': 'a will eintreten. Er fragt b und c.',
  'b has replied. From c there will never be a reply.':
    'b hat geantwortet. Von c kommt nie eine Antwort.',
  'a waits forever. It cannot tell a node that has crashed from one that is slow. Nothing wrong has happened. But nothing good will happen either.':
    'a wartet ewig. Er kann einen abgestürzten Knoten nicht von einem langsamen unterscheiden. Etwas Falsches ist nicht geschehen. Aber etwas Gutes geschieht auch nicht mehr.',
  'Ask only some': 'Nur einige fragen',
  'A token goes around': 'Ein Token geht herum',
  'Another idea: there is one token. Who has it may enter. It goes around a ring, and a sends it off.':
    'Eine andere Idee: es gibt ein Token. Wer es hat, darf eintreten. Es geht auf einem Ring herum, und a schickt es los.',
  'b wants to enter. It asks nobody: it waits for the token.':
    'b will eintreten. Er fragt niemanden: er wartet auf das Token.',
  'The token arrives: b keeps it, and enters.': 'Das Token kommt an: b behält es und tritt ein.',
  'b leaves, and passes the token on.': 'b geht und gibt das Token weiter.',
  'c does not want it, and passes it on.': 'c will es nicht und gibt es weiter.',
  'So it goes around, also when nobody wants it. How many messages is an entry?':
    'So geht es herum, auch wenn niemand es will. Wie viele Nachrichten kostet ein Eintritt?',
  'A token that is asked for': 'Ein Token auf Anfrage',
  'The token rests at a until somebody asks. Each node knows only in which direction it is.':
    'Das Token ruht bei a, bis jemand fragt. Jeder Knoten weiß nur, in welcher Richtung es ist.',
  'b and c ask in that direction.': 'b und c fragen in dieser Richtung.',
  'a does not need the token: it sends it to b, and from now on points to b.':
    'a braucht das Token nicht: er schickt es an b und zeigt von nun an auf b.',
  'The request of c arrives. a asks on behalf of c.': 'Die Anfrage von c kommt an. a fragt für c.',
  'b enters.': 'b tritt ein.',
  'b learns that a wants the token, for whomever.':
    'b erfährt, dass a das Token will, für wen auch immer.',
  'b leaves, and the token goes back.': 'b geht, und das Token kehrt zurück.',
  'a passes it on to the one that has asked.': 'a gibt es dem weiter, der gefragt hat.',
  'c enters. On a tree of n nodes that is well balanced, an entry takes about log n messages.':
    'c tritt ein. Auf einem ausgewogenen Baum aus n Knoten kostet ein Eintritt etwa log n Nachrichten.',
  'The token is lost': 'Das Token geht verloren',
  'The same, but one message may be lost. Which one is the worst?':
    'Dasselbe, aber eine Nachricht darf verloren gehen. Welche ist die schlimmste?',
  'b asks.': 'b fragt.',
  'a sends the token …': 'a sendet das Token …',
  '… and the network loses it. Now nobody has it.':
    '… und das Netz verliert es. Jetzt hat es niemand.',
  'c asks as well.': 'c fragt auch.',
  'Everybody points to somebody else, and all wait. How could they notice? Who may make a new token?':
    'Jeder zeigt auf einen anderen, und alle warten. Wie könnten sie es bemerken? Wer darf ein neues Token machen?',
  'Who decides? A ring elects': 'Wer entscheidet? Ein Ring wählt',
  'Who is dead? Two leaders': 'Wer ist tot? Zwei Anführer',
  'Three wait for each other': 'Drei warten aufeinander',
  'Each has one vote and needs two: a deadlock, in six steps.':
    'Jeder hat eine Stimme und braucht zwei: eine Verklemmung, in sechs Schritten.',
  'Three nodes share one thing. Who wants it needs two votes: its own, and that of one other node.':
    'Drei Knoten teilen sich etwas. Wer es will, braucht zwei Stimmen: die eigene und die eines anderen Knotens.',
  'a votes for itself, and asks another node.': 'a stimmt für sich und fragt einen anderen Knoten.',
  'b does the same.': 'b tut dasselbe.',
  'The request of a arrives. But b has given its vote to itself: a has to wait.':
    'Die Anfrage von a kommt an. Aber b hat seine Stimme sich selbst gegeben: a muss warten.',
  'c votes for itself, too.': 'Auch c stimmt für sich.',
  'Each has one vote, and waits for another that is not given back: nobody ever enters. Maekawa’s algorithm takes votes back; this is the version that does not.':
    'Jeder hat eine Stimme und wartet auf eine andere, die nicht zurückkommt: niemand tritt je ein. Maekawas Algorithmus nimmt Stimmen zurück; dies ist die Fassung, die es nicht tut.',
  'Two leaders': 'Zwei Anführer',
  'A timer that is early makes a node believe that the larger ones are gone.':
    'Läuft ein Timer zu früh ab, hält ein Knoten die größeren für abgestürzt.',
  'The node with the largest name that is alive shall lead: c.':
    'Anführer soll der lebende Knoten mit dem größten Namen sein: c.',
  'a holds an election: it asks the larger nodes, and sets a timer for their answers.':
    'a ruft eine Wahl aus: er fragt die größeren Knoten und stellt einen Timer für ihre Antworten.',
  'The timer fires before anybody has answered. a takes the others for crashed, and leads.':
    'Der Timer läuft ab, bevor jemand geantwortet hat. a hält die anderen für abgestürzt und führt.',
  'c holds an election as well. Nobody is larger: it leads. Now there are two leaders. The algorithm relies on answers that are faster than the timer.':
    'c ruft auch eine Wahl aus. Niemand ist größer: er führt. Jetzt gibt es zwei Anführer. Der Algorithmus verlässt sich darauf, dass Antworten schneller sind als der Timer.',
  'A ring elects': 'Ein Ring wählt',
  'Each node sends its name around; only the largest comes back.':
    'Jeder Knoten schickt seinen Namen herum; nur der größte kommt zurück.',
  'Four nodes in a ring. Each knows its own name, and can send to the next node only.':
    'Vier Knoten in einem Ring. Jeder kennt seinen eigenen Namen und kann nur an den nächsten Knoten senden.',
  'All send their names.': 'Alle senden ihren Namen.',
  'A name that is smaller than that of the node which gets it goes no further.':
    'Ein Name, der kleiner ist als der des Empfängers, kommt nicht weiter.',
  'The largest name goes on. A node that passes it on is out of the race.':
    'Der größte Name geht weiter. Ein Knoten, der ihn weitergibt, ist aus dem Rennen.',
  'The largest name has come back: d leads, and tells the others.':
    'Der größte Name ist zurück: d führt und sagt es den anderen.',
  'All know the leader. Of the four names only one went around the whole ring.':
    'Alle kennen den Anführer. Von den vier Namen ging nur einer um den ganzen Ring.',
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
