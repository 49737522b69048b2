const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: document.getElementById("swagger-ui").dataset.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,  // it would tell another's server of ours
});
