import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationsOf, shownEvents } from "./annotations.js";

const COLUMNS = { titleColumn: "title", textColumn: "text" };

test("events are those that are shown, wherever this Grafana keeps their query", () => {
  const list = [
    { name: "Cells", enable: true, target: { query: "a", ...COLUMNS } },
    { name: "Old", enable: true, query: "b", ...COLUMNS },
    { name: "Phases", enable: false, target: { query: "c", ...COLUMNS } },
    { name: "Grafana's own", enable: true, builtIn: 1 },
  ];
  const events = shownEvents({ uid: "d", title: "D", panels: [], annotations: { list } });
  assert.deepEqual(
    events.map(({ name, query }) => [name, query]),
    [
      ["Cells", "a"],
      ["Old", "b"],
    ],
  );
  const series = [
    {
      name: "phases",
      tags: {},
      columns: ["time", "text", "title"],
      values: [[5, "round 1", "nginx"]],
    },
  ];
  assert.deepEqual(annotationsOf(events[0], series), [{ ms: 5, title: "nginx", text: "round 1" }]);
  assert.deepEqual(shownEvents({ uid: "d", title: "D", panels: [] }), []);
});
