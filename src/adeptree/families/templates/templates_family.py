"""The family of rule templates, with their constants on a grid."""

from adeptree.families.templates.template_class import TemplateClass, TemplateTable
from adeptree.roles.family import Columns, Family

FAMILIES = (
    Family("template", TemplateClass, holds_code=True),
    Family("", TemplateTable, columns=Columns(mapping=True)),
)
