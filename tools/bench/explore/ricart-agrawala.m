-- The reference model of bench/parts/explore.mjs (see reference.mjs) for Rumur: the same states, the same transitions.
--
-- There are N nodes with R entries each; the benchmark replaces both numbers. A channel holds CAP messages at most. A message is the time stamp of
-- a request, or 0, a reply. Unused places of channels and lists are 0.
const
  N: 3;
  R: 2;
  CAP: 4;
  LATEST: 63;

type
  Node: 0..N-1;
  Time: 0..LATEST;
  Value: enum { released, wanted, held };
  List: record length: 0..N-1; items: array [0..N-2] of Node; end;
  Channel: record length: 0..CAP; items: array [0..CAP-1] of Time; end;

var
  value: array [Node] of Value;
  clock: array [Node] of Time;
  ts: array [Node] of Time;
  replies: array [Node] of List;
  deferred: array [Node] of List;
  commands: array [Node] of 0..R;
  link: array [Node] of array [Node] of Channel; -- from, to

procedure clearList(var list: List);
begin
  list.length := 0;
  for k := 0 to N-2 do list.items[k] := 0; end;
end;

procedure addTo(var list: List; node: Node);
begin
  list.items[list.length] := node;
  list.length := list.length + 1;
end;

procedure enqueue(var channel: Channel; message: Time);
begin
  channel.items[channel.length] := message;
  channel.length := channel.length + 1;
end;

procedure dropHead(var channel: Channel);
begin
  for k := 0 to CAP-2 do channel.items[k] := channel.items[k+1]; end;
  channel.items[CAP-1] := 0;
  channel.length := channel.length - 1;
end;

startstate
begin
  for i: Node do
    value[i] := released;
    clock[i] := 0;
    ts[i] := 0;
    commands[i] := R;
    clearList(replies[i]);
    clearList(deferred[i]);
    for j: Node do
      link[i][j].length := 0;
      for k := 0 to CAP-1 do link[i][j].items[k] := 0; end;
    end;
  end;
end;

ruleset i: Node do
  rule "acquire"
    value[i] = released & commands[i] > 0 ==>
  begin
    commands[i] := commands[i] - 1;
    clock[i] := clock[i] + 1;
    ts[i] := clock[i];
    clearList(replies[i]);
    value[i] := wanted;
    for peer: Node do if peer != i then enqueue(link[i][peer], ts[i]); end; end;
  end;

  rule "release"
    value[i] = held ==>
  begin
    for k := 0 to N-2 do if k < deferred[i].length then enqueue(link[i][deferred[i].items[k]], 0); end; end;
    clearList(deferred[i]);
    value[i] := released;
  end;
end;

ruleset j: Node; i: Node do
  rule "deliver"
    link[j][i].length > 0 ==>
  var message: Time;
  begin
    message := link[j][i].items[0];
    dropHead(link[j][i]);
    if message = 0 then
      addTo(replies[i], j);
      if replies[i].length = N-1 then value[i] := held; end;
    else
      if message > clock[i] then clock[i] := message + 1; else clock[i] := clock[i] + 1; end;
      if value[i] = held | (value[i] = wanted & (ts[i] < message | (ts[i] = message & i < j))) then
        addTo(deferred[i], j);
      else
        enqueue(link[i][j], 0);
      end;
    end;
  end;
end;

invariant "at most one node is in the critical section"
  forall i: Node do forall j: Node do i = j | value[i] != held | value[j] != held end end;
