// A drag handle that comes or goes in a grid makes browsers style each of its cells anew, because of rules that
// look for the last summary row. No grid of ours has such rows.
const noSummaryRows = { postcssPlugin: "no-summary-rows", Once: (root) => root.walkRules(/summary-row\)/, (rule) => void rule.remove()) };

module.exports = { plugins: [noSummaryRows, require("postcss-preset-mantine")] };
