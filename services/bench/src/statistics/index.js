export { independentRatioInterval, medianInterval, ratioInterval } from "./interval.js";
export { detectableRatio } from "./power.js";
export { holm, mannWhitney, smallestP } from "./significance.js";
export { theilSen } from "./slope.js";
export { summarise } from "./summary.js";
