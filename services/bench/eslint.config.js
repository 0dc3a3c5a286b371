/** What neither Prettier nor TypeScript sees. */
import js from "@eslint/js";

export default [
  {
    ignores: ["**/node_modules/", "dashboards/generated/", "results/", "published/", ".bench/"],
  },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-self-compare": "error",
      "no-unmodified-loop-condition": "error",
      "no-unneeded-ternary": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      // TypeScript knows every name.
      "no-undef": "off",
      // What terminals are told begins with one.
      "no-control-regex": "off",
    },
  },
];
